import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { fetchFile, saveFile } from '../api/fetch-file.ts';

interface Props {
  /** The API's answers, each a line of the file as it came: what the scripts in docs/lineage.md read. */
  paths: readonly `/api/v1/${string}`[];
  /** Of the file. */
  name: string;
}

/** Saves a chain with the exact bytes that its hashes cover, to be checked without this page. */
export function DownloadChain({ paths, name }: Props) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const answers: Blob[] = [];
      for (const path of paths) answers.push(await fetchFile(path));
      const type = paths.length === 1 ? 'application/json' : 'application/jsonl';
      saveFile(
        new Blob(
          answers.flatMap((answer) => [answer, '\n']),
          { type },
        ),
        name,
      );
    },
  });
  return (
    <Button
      size="xs"
      variant="default"
      className="no-print"
      leftSection={<IconDownload size={14} aria-hidden />}
      loading={isPending}
      onClick={() => mutate()}
      title={error?.message ?? 'With the exact text of each hash, to check it without this page'}
      {...(error && { color: 'red', variant: 'light' })}
    >
      {error ? 'Download failed: again' : 'Download the chain'}
    </Button>
  );
}
