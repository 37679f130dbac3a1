import { type Rule, ruleSchema, type StoredRule, withSilence } from '@agp/alerts';
import { rewriteText } from '@agp/documents/yaml';
import { TagsInput } from '@mantine/core';
import { useState } from 'react';
import { useBlockUntil } from '../../changes/block-until.tsx';
import { undone } from '../../changes/each-agent.ts';
import { put } from '../../changes/stored.tsx';
import { ConfirmButton } from '../../components/confirm.tsx';
import { ActButton } from '../../components/done.tsx';
import { useSeenNames } from '../../components/known-fields.tsx';

const path = '/api/v1/notification-rules';

/** Those that are not over. */
export const listSilences = (silences: Rule['silences'] = []) =>
  silences.filter(({ until }) => Date.parse(until) > Date.now());

/** Buttons that let a rule tell nobody for a time, and tell again. */
export function Silence({ stored: { id, version, rule, text } }: { stored: StoredRule }) {
  const toBody = (next: Rule) => (text === null ? next : rewriteText(text, ruleSchema, next));
  const { fields, end, reset } = useBlockUntil('Choose');
  const { agents: known } = useSeenNames();
  const [agents, setAgents] = useState<string[]>([]);
  const undo = (stored: StoredRule) => put(path, id, text ?? rule, undone, `${stored.version}`);
  const tellAgain = async () => {
    const after = await put<StoredRule>(path, id, toBody(withSilence(rule, null)), undefined, `${version}`);
    return { text: `${rule.name} tells again.`, undo: () => undo(after) };
  };
  return (
    <>
      <ConfirmButton
        verb="Silence"
        of={rule.name}
        onOpen={() => {
          reset();
          setAgents([]);
        }}
        ready={end !== undefined}
        shownAt="beside the rule"
        seen={[`${version}`]}
        change={(reason = '', [ifMatch]) => {
          const silence = { ...(agents.length > 0 && { agents }), until: `${end}`, reason };
          return put<StoredRule>(path, id, toBody(withSilence(rule, silence)), reason, ifMatch);
        }}
        done={`${rule.name} is silent.`}
        undo={undo}
      >
        Its alerts stand in the list alone. One that is still open at the end is told then.
        <TagsInput
          label="Agents"
          description="Only what is of one of these alone; all if none is named"
          data={known}
          limit={50}
          value={agents}
          onChange={setAgents}
          mt="sm"
        />
        {fields}
      </ConfirmButton>{' '}
      {listSilences(rule.silences).length > 0 && (
        <ActButton name={`Let ${rule.name} tell again`} act={tellAgain}>
          Tell again
        </ActButton>
      )}
    </>
  );
}
