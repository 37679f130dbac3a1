import { type ComponentType, type ReactNode, useState } from 'react';
import { callApi } from '../api/api.ts';
import { ConfirmButton } from '../components/confirm.tsx';
import { Diff } from '../components/diff.tsx';
import { undone } from './each-agent.ts';

export interface DraftProps<Draft> {
  draft: Draft;
  onChange: (next: Draft) => void;
  /** Whether it could be stored as it is. */
  onReady: (ready: boolean) => void;
  isNew: boolean;
}

/** What is made, changed and deleted under a path of the API, by a form. */
export interface Kind<Row, Draft> {
  path: string;
  /** Such as `budget`. */
  noun: string;
  begun: Draft;
  read: (stored: Row) => Draft;
  /** What is sent of it, such as its text in YAML; it itself if not given. */
  toBody?: (draft: Draft) => unknown;
  /** The text that is stored, so that it says the draft; absent if the draft is the text, or none is kept. */
  rewrite?: (text: string, draft: Draft) => string;
  Form: ComponentType<DraftProps<Draft>>;
  /** What was done, and what follows if it goes. */
  tell: (draft: Draft) => string;
  warn: (draft: Draft) => ReactNode;
  /** Not if nobody can read all of it. */
  canUndo: boolean;
}

// Of one path, since the others take the same and the API checks their bodies.
const [all, one] = ['/api/v1/policies', '/api/v1/policies/{id}'] as const;

/** @param id null makes another @returns it as it is stored */
export async function put<Row>(path: string, id: string | null, draft: unknown, reason?: string, ifMatch?: string) {
  const [body, query] = [draft as never, { reason }];
  const reply =
    id === null
      ? await callApi('post', path as typeof all, { params: { query }, body })
      : await callApi('put', `${path}/{id}` as typeof one, { params: { path: { id }, query }, body, ifMatch });
  return reply.data as unknown as Row;
}

export const remove = (path: string, id: string, reason?: string, ifMatch?: string) =>
  callApi('delete', `${path}/{id}` as typeof one, { params: { path: { id }, query: { reason } }, ifMatch });

interface ChangesProps<Row, Draft> {
  of: Kind<Row, Draft>;
  /** Null for a new one. */
  stored: Row | null;
  onDone?: (stored: Row) => void;
}

/** A button that makes one, or those that change and delete the one that is stored. */
export function Changes<
  Row extends { id: string; version: number; text?: string | null },
  Draft extends { name: string },
>({
  of: { path, noun, begun, read, toBody = (draft) => draft, rewrite, Form, tell, warn, canUndo },
  stored,
  onDone,
}: ChangesProps<Row, Draft>) {
  const [opened, setOpened] = useState(stored);
  const [draft, setDraft] = useState(begun);
  const [ready, setReady] = useState(false);
  const before = stored && read(stored);
  const name = before ? `Change ${before.name}` : `New ${noun}`;
  const bodyOf = (next: Draft) => (stored?.text && rewrite ? rewrite(stored.text, next) : toBody(next));
  const storedBody = (row: Row) => (rewrite && row.text) || toBody(read(row));
  const textOf = (row: Row) => {
    const body = storedBody(row);
    return typeof body === 'string' ? body : JSON.stringify(body, null, 2);
  };
  const undo = ({ id, version }: Row): Promise<unknown> =>
    stored ? put(path, id, storedBody(stored), undone, `${version}`) : remove(path, id, undone, `${version}`);
  return (
    <>
      <ConfirmButton
        {...{ name, title: name, label: before ? 'Change' : name, verb: before ? 'Save' : 'Make' }}
        {...(stored ? { seen: [`${stored.version}`] } : { at: 'new' })}
        wide
        onOpen={() => {
          setOpened(stored);
          setDraft(before ?? begun);
          setReady(false);
        }}
        ready={ready}
        change={(reason, [ifMatch]) => put<Row>(path, stored?.id ?? null, bodyOf(draft), reason, ifMatch)}
        done={tell(draft)}
        {...(canUndo && { undo })}
        {...(onDone && { onDone })}
      >
        <Form draft={draft} onChange={setDraft} onReady={setReady} isNew={stored === null} />
        {stored && opened?.version !== stored.version && (
          <Diff before={textOf(opened ?? stored)} after={textOf(stored)} />
        )}
      </ConfirmButton>
      {stored && before && (
        <>
          {' '}
          <ConfirmButton
            of={before.name}
            verb="Delete"
            danger
            seen={[`${stored.version}`]}
            change={(reason, [ifMatch]) => remove(path, stored.id, reason, ifMatch)}
            done={`${before.name} is gone.`}
            {...(canUndo && { undo: () => put(path, null, storedBody(stored), undone) })}
          >
            {warn(before)}
          </ConfirmButton>
        </>
      )}
    </>
  );
}
