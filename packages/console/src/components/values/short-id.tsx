import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { shortenId } from '../../format/shorten-id.ts';

/** Copies a text. @param what names it for those who cannot see the icon */
export function CopyText({ text, what }: { text: string; what: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            onClick={copy}
            aria-label={`Copy ${what}`}
            className="no-print"
          >
            {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

interface Props {
  id: string;
  what?: string;
  whole?: boolean;
  /** Characters that are shown of each end. */
  ends?: number;
}

/** A long id or hash, shortened, whole on paper, with a button that copies all of it. */
export function ShortId({ id, what = 'id', whole = false, ends = 6 }: Props) {
  return (
    <span className={whole ? undefined : 'nowrap'}>
      <span className="mono" title={id} data-print={id}>
        <span>{whole ? id : shortenId(id, ends)}</span>
      </span>{' '}
      <CopyText text={id} what={what} />
    </span>
  );
}
