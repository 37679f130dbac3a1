import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/api-query.ts';
import { shortenId } from '../../format/shorten-id.ts';

interface Props {
  /** Of what it is, such as `agent`, which is shown by its name. */
  name: string;
  value: string | undefined;
  onRemove: () => void;
}

/** A filter that came with a link and has no field of its own: it can be taken away. */
export function LinkedFilter({ name, value, onRemove }: Props) {
  const agent = useQuery({
    ...apiQuery('/api/v1/agents/{id}', { path: { id: value ?? '' } }),
    enabled: name === 'agent' && value !== undefined,
  });
  if (value === undefined) return null;
  const shown = agent.data?.data.name ?? shortenId(value);
  return (
    <Button
      variant="default"
      maw="20rem"
      onClick={onRemove}
      aria-label={`Remove the filter ${name} ${shown}`}
      title={value}
    >
      {name}: {shown} ×
    </Button>
  );
}
