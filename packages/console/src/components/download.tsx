import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { fetchFile, saveFile } from '../api/api.ts';
import { compact } from '../search/search.ts';

interface DownloadProps {
  read: () => Promise<Blob>;
  /** The file's name. */
  name: string;
  label: string;
  title?: string | undefined;
  size?: 'xs' | 'sm';
}

/** A button that saves a file, or says why it cannot. */
export function Download({ read, name, label, title, size = 'sm' }: DownloadProps) {
  const { mutate, isPending, error } = useMutation({ mutationFn: async () => saveFile(await read(), name) });
  return (
    <Button
      size={size}
      variant="default"
      className="no-print"
      leftSection={<IconDownload size={size === 'xs' ? 14 : 16} aria-hidden />}
      loading={isPending}
      onClick={() => mutate()}
      title={error?.message ?? title}
      {...(error && { color: 'red', variant: 'light' })}
    >
      {error ? `${label.split(' ')[0]} failed: again` : label}
    </Button>
  );
}

interface CsvButtonProps extends Partial<Omit<DownloadProps, 'read' | 'name'>> {
  path: `/api/v1/${string}`;
  query: Record<string, string | number | boolean | undefined>;
  /** The file's name, without its ending. */
  name: string;
}

export function CsvButton({ path, query, name, label = 'CSV', ...look }: CsvButtonProps) {
  const given = Object.entries(compact(query)).map(([key, value]) => [key, String(value)]);
  const read = () => fetchFile(`${path}?${new URLSearchParams(given)}`, 'text/csv');
  return <Download read={read} name={`${name}.csv`} label={label} {...look} />;
}
