import type { Asked, EventTool } from '@agp/core/events';
import type { CallHead } from '../call-head.ts';
import type { InspectedBody } from './inspect-body.ts';
import type { CallNames } from './read-names.ts';

/** What rules and records ask of a request, beside its likely cost. */
export interface AskedOfBody extends Pick<Asked, 'models' | 'unread' | 'output_tokens' | 'input_bytes'> {
  /** What it offers its model; null if that cannot be read. */
  tools: readonly EventTool[] | null;
}

/** @param isPacked its bytes are encoded @param contentLength as declared; null without a body, or with one of unknown length @param names null if they cannot be read */
export function readAsked(
  head: Pick<CallHead, 'operation' | 'method' | 'path' | 'hasBody'> & {
    contentLength: number | null;
    isPacked: boolean;
  },
  body: InspectedBody | null,
  names: CallNames | null,
): AskedOfBody {
  const { operation, method, path, hasBody, contentLength, isPacked } = head;
  // What is packed in a way that is not known here may be of any size.
  const isSized = !hasBody || !isPacked || Boolean(body?.form.decoded);
  // Whatever does not only look something up, or end it, may run a model.
  const isEnding = /^(?:GET|HEAD|DELETE|OPTIONS)$/.test(method) || /[/:]cancel\/?$/.test(path);
  const runsModel = operation?.runsModel !== false && (hasBody || !isEnding);
  const isCount = operation?.isFree === true && !operation.isBilledLater;
  const writesNone = (operation?.writesText === false && !operation.isBilledLater) || isCount || !runsModel;
  return {
    models: runsModel ? (names?.models?.slice() ?? null) : [],
    tools: runsModel ? (names?.tools ?? null) : [],
    unread: runsModel ? names?.unread : undefined,
    output_tokens: writesNone ? 0 : (body?.maxOutputTokens ?? null),
    input_bytes: isSized ? (body?.bytes.length ?? contentLength ?? (hasBody ? null : 0)) : null,
  };
}
