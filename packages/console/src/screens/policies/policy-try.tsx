import { countOf } from '@agp/core/explain';
import type { Policy, TriedText } from '@agp/policy';
import { Button, Stack, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { callApi } from '../../api/api.ts';
import { FailureNotice } from '../../components/feedback.tsx';
import { Choice } from '../../components/filters.tsx';
import { Card } from '../../components/layout.tsx';

const directions = { request: 'As a request', response: 'As an answer' };
type Direction = keyof typeof directions;

const maxText = 65_536;

interface Asked {
  policy: Policy;
  text: string;
  direction: Direction;
}

/** What a policy finds in a text, and what would be passed on. @param policy null while its text is none */
export function PolicyTry({ policy }: { policy: Policy | null }) {
  const [text, setText] = useState('');
  const [direction, setDirection] = useState<Direction>('request');
  const { mutate, data, error, isPending, variables } = useMutation({
    mutationFn: async ({ policy: tried, ...asked }: Asked): Promise<TriedText> =>
      (await callApi('post', '/api/v1/policies/try', { body: { policies: [tried], ...asked } as never })).data,
  });
  if (policy !== null && !policy.pii && !policy.check) return null;
  const asked = policy && { policy, text, direction };
  const isOld = data !== undefined && JSON.stringify(variables) !== JSON.stringify(asked);
  return (
    <Card title="Try it on a text">
      <Stack gap="sm">
        <Textarea
          label="A text"
          autosize
          minRows={3}
          maxRows={12}
          maxLength={maxText}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <div className="filters">
          <Choice
            label="Searched"
            options={directions}
            value={direction}
            onChange={(next) => setDirection(next ?? 'request')}
          />
          <Button
            variant="default"
            loading={isPending}
            disabled={asked === null || text === ''}
            onClick={() => asked && mutate(asked)}
          >
            Show what is sent
          </Button>
        </div>
        <div role="status">
          {error && <FailureNotice error={error} />}
          {data === undefined && !error && <span className="small dim">The text is neither stored nor logged.</span>}
          {isOld && <span className="tone-warn">It was changed since: try it again.</span>}
          {data && <Tried tried={data} />}
        </div>
      </Stack>
    </Card>
  );
}

function Tried({ tried: { found, sent, refusal, notes } }: { tried: TriedText }) {
  return (
    <Stack gap="xs">
      <ul className="lines">
        {found.length === 0 && <li>Nothing that the policy names</li>}
        {found.map(({ kind, action, count }) => (
          <li key={kind}>
            {kind.replaceAll('_', ' ')}: {countOf(count, 'time')}, {action}
          </li>
        ))}
        {notes.map((note) => (
          <li key={note} className="dim">
            {note}
          </li>
        ))}
      </ul>
      <strong>{refusal === null ? 'Passed on' : 'Blocked; the agent reads'}</strong>
      <pre className="code-block">{refusal ?? sent}</pre>
    </Stack>
  );
}
