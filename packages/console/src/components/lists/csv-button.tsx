import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { toFailure, toSilence } from '../../api/api-failure.ts';
import { consoleHeaders } from '../../api/read-half.ts';
import { compact } from '../../search/read-search.ts';

interface Props {
  path: `/api/v1/${string}`;
  query: Record<string, string | number | boolean | undefined>;
  /** Of the file, without its ending. */
  name: string;
  title?: string;
}

/** A link would not send the headers that the API asks for, so the answer is fetched and then saved. */
async function download({ path, query, name }: Props): Promise<void> {
  const given = Object.entries(compact(query)).map(([key, value]) => [key, String(value)]);
  const headers = { ...consoleHeaders(), Accept: 'text/csv' };
  const call = `GET ${path}`;
  const response = await fetch(`${path}?${new URLSearchParams(given)}`, { headers }).catch(() => {
    throw toSilence(call);
  });
  if (!response.ok) throw toFailure(call, response, await response.json().catch(() => undefined));
  const address = URL.createObjectURL(await response.blob());
  const link = Object.assign(document.createElement('a'), { href: address, download: `${name}.csv` });
  link.click();
  URL.revokeObjectURL(address);
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
      {error ? 'CSV failed: again' : 'CSV'}
    </Button>
  );
}
