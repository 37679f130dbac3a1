import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { fetchFile, saveFile } from '../../api/fetch-file.ts';
import { compact } from '../../search/read-search.ts';

interface Props {
  path: `/api/v1/${string}`;
  query: Record<string, string | number | boolean | undefined>;
  /** Of the file, without its ending. */
  name: string;
  /** `CSV` if not given. */
  label?: string;
  title?: string;
}

async function download({ path, query, name }: Props): Promise<void> {
  const given = Object.entries(compact(query)).map(([key, value]) => [key, String(value)]);
  saveFile(await fetchFile(`${path}?${new URLSearchParams(given)}`, 'text/csv'), `${name}.csv`);
}

/** Saves what a screen shows as CSV. */
export function CsvButton(props: Props) {
  const { mutate, isPending, error } = useMutation({ mutationFn: () => download(props) });
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      loading={isPending}
      onClick={() => mutate()}
      title={error?.message ?? props.title}
      {...(error && { color: 'red', variant: 'light' })}
    >
      {error ? 'CSV failed: again' : (props.label ?? 'CSV')}
    </Button>
  );
}
