import type { EvidenceTally } from '@agp/core/evidence';
import { countOf, formatCount } from '@agp/core/explain';
import { Button, Group, Modal, Stack } from '@mantine/core';
import { IconFileZip } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { saveFile } from '../api/api.ts';
import { useView } from '../api/session.ts';
import { tellDone } from '../components/done.tsx';
import { FailureNotice } from '../components/feedback.tsx';
import { Choice } from '../components/filters.tsx';
import { AgentField, LabelField } from '../components/known-fields.tsx';
import { Banner } from '../components/layout.tsx';
import { TimeRange } from '../components/time-range.tsx';
import { useDialog } from '../components/use-dialog.ts';
import { CopyText } from '../components/values.tsx';
import { timeSpans } from '../search/search.ts';
import type { EvidenceAsked } from './pack-evidence.ts';

const lastMonth = { from: 'last-month', to: 'month' };

/** Saves evidence as a ZIP, with how far it is; ends if what shows it is gone. */
function useEvidence(onSaved: () => void) {
  const [tally, setTally] = useState<EvidenceTally | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const saving = useMutation({
    mutationFn: async (asked: EvidenceAsked) => {
      const stop = new AbortController();
      running.current = stop;
      setTally(null);
      const { packEvidence } = await import('./pack-evidence.ts');
      const packed = await packEvidence(asked, { signal: stop.signal, onTally: setTally });
      stop.signal.throwIfAborted();
      if ('why' in packed) return packed;
      saveFile(packed.file, packed.name);
      tellDone({
        text: `Saved ${packed.name}: ${packed.told}. Unzip it; node verify-evidence.mjs checks it without us.`,
      });
      onSaved();
      return null;
    },
  });
  return { ...saving, tally };
}

function Progress({ tally }: { tally: EvidenceTally | null }) {
  if (tally === null) return 'Reading …';
  const { events, sessions, chains } = tally;
  const read = `Read: ${countOf(events, 'event')} of ${countOf(sessions, 'session')}`;
  return chains === 0 ? `${read} …` : `${read}; ${formatCount(chains)} of ${countOf(sessions, 'chain')} …`;
}

interface EvidenceDialogProps {
  of: EvidenceAsked;
  onClose: () => void;
}

/** Asks whose evidence of when is wanted, and saves it. */
function EvidenceDialog({ of, onClose }: EvidenceDialogProps) {
  const isAlways = of.from === undefined && of.to === undefined;
  const [asked, setAsked] = useState<EvidenceAsked>({ ...of, ...(isAlways && lastMonth) });
  const view = useView();
  const { mutate, reset, data: refusal, error, isPending, tally } = useEvidence(onClose);
  const { whose, agent_id, label, from, to } = asked;
  const ready = { agent: agent_id !== undefined, label: label !== undefined, all: true }[whose];
  const change = (next: Partial<EvidenceAsked>) => {
    reset();
    setAsked((before) => ({ ...before, ...next }));
  };
  return (
    <Modal opened onClose={onClose} title="Export evidence" closeOnClickOutside={!isPending}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (ready && !isPending) mutate(asked);
        }}
      >
        <Stack gap="md">
          <div>
            A ZIP with the events as CSV, the chain of each session, and what checks both without us: unzip it, then{' '}
            <span className="mono">node verify-evidence.mjs</span>.
          </div>
          {!isPending && (
            <>
              <Choice
                label="Whose"
                options={{
                  ...{ agent: 'One agent', label: 'All agents with a label' },
                  all: view === null ? 'All agents' : `All agents with ${view}`,
                }}
                value={whose}
                onChange={(next = 'all') => change({ whose: next })}
              />
              {whose === 'agent' && <AgentField value={agent_id} onChange={(next) => change({ agent_id: next })} />}
              {whose === 'label' && <LabelField value={label} onChange={(next) => change({ label: next })} />}
              <TimeRange label="Time" none="All" spans={timeSpans} from={from} to={to} onChange={change} />
            </>
          )}
          <div role="status">{isPending && <Progress tally={tally} />}</div>
          {refusal && (
            <Banner tone="warn" role="alert">
              {refusal.why}
            </Banner>
          )}
          {refusal?.run && (
            <div className="code-block" style={{ display: 'flex', gap: '0.5rem', alignItems: 'start' }}>
              <span style={{ flex: 1, overflowWrap: 'anywhere' }}>{refusal.run}</span>
              <CopyText text={refusal.run} what="the command" />
            </div>
          )}
          {error && <FailureNotice error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isPending} disabled={!ready}>
              Download
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** A button that exports evidence: at first of what the screen shows. @param at what stands behind # in an address that opens it */
export function EvidenceButton({ of, at }: { of: EvidenceAsked; at?: string }) {
  const { opener, opened, open, close } = useDialog(at);
  return (
    <>
      <Button
        ref={opener}
        variant="default"
        className="no-print"
        leftSection={<IconFileZip size={16} aria-hidden />}
        onClick={open}
      >
        Evidence
      </Button>
      {opened && <EvidenceDialog of={of} onClose={close} />}
    </>
  );
}
