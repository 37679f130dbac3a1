import { Container, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { consoleHeaders } from './api/half.ts';

/** The first screen; as yet it says who is signed in. */
export function NowPage() {
  const session = useQuery({
    queryKey: ['session'],
    queryFn: async () => {
      const answer = await fetch('/console/session', { headers: consoleHeaders() });
      return (await answer.json()) as { signed_in: boolean; name?: string };
    },
  });
  return (
    <Container py="lg">
      <Title order={1}>Agent Governance Proxy</Title>
      <Text>{session.data?.signed_in ? `Signed in as ${session.data.name}.` : 'Not signed in.'}</Text>
    </Container>
  );
}
