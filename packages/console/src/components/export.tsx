import { shortNames } from '@agp/core/explain';
import { Button, Menu } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconDownload, IconPrinter, IconTerminal2 } from '@tabler/icons-react';
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

interface CopyAsProps {
  path: `/api/v1/${string}`;
  query?: Record<string, string | number | boolean | undefined>;
  /** What `agp` is to do, such as `events list`. */
  command: string;
}

/** Without control characters: some end what a terminal takes for pasted text. */
export const quote = (given: string) => {
  const text = given.replace(/\p{C}/gu, '');
  return /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
};

/** A line for `agp` without a secret: the key is the variable `KEY`. @param command its words, quoted */
export const writeAgp = (...command: readonly string[]) =>
  ['AGP_API_KEY=$KEY agp', ...command, '--url', window.location.origin].join(' ');

const toFlag = (name: string) => `--${shortNames[name] ?? name.replaceAll('_', '-')}`;

/** What the screen shows as a command line. */
export function CopyAs({ path, query = {}, command }: CopyAsProps) {
  const clipboard = useClipboard();
  const given = Object.entries(compact(query)).map(([name, value]) => [name, String(value)] as [string, string]);
  const address = `${window.location.origin}${path}${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`;
  const words = given.flatMap(([name, value]) => {
    const flag = toFlag(name);
    return value === 'true' ? [flag] : [flag, quote(value)];
  });
  const ways = [
    ['curl', `curl -s -H "Authorization: Bearer $KEY" ${quote(address)}`],
    ['agp', writeAgp(command, ...words)],
  ] as const;
  return (
    <Menu withinPortal position="bottom-end">
      <Menu.Target>
        <Button variant="default" className="no-print" leftSection={<IconTerminal2 size={16} aria-hidden />}>
          {clipboard.copied ? 'Copied' : 'Copy as'}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {ways.map(([name, line]) => (
          <Menu.Item key={name} onClick={() => clipboard.copy(line)} title={line}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Prints the screen as it is: what is shortened or hidden on it is whole on paper. */
export function PrintButton() {
  return (
    <Button variant="default" leftSection={<IconPrinter size={16} aria-hidden />} onClick={() => window.print()}>
      Print
    </Button>
  );
}
