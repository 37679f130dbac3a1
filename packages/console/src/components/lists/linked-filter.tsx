import { Button } from '@mantine/core';
import { shortenId } from '../../format/shorten-id.ts';

interface Props {
  /** Of what it is, such as `agent`. */
  name: string;
  value: string | undefined;
  onRemove: () => void;
}

/** A filter that came with a link and has no field of its own: it can be taken away. */
export function LinkedFilter({ name, value, onRemove }: Props) {
  if (value === undefined) return null;
  return (
    <Button variant="default" onClick={onRemove} aria-label={`Remove the filter ${name} ${value}`}>
      {name}: {shortenId(value)} ×
    </Button>
  );
}
