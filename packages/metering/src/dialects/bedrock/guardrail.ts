import { makeUsage, type Usage } from '@agp/catalogue';
import { asArray, asObject, type JsonObject } from '../../json/members.ts';
import { type FigureNotes, joinUnread, readFigures, tableFigures } from '../figures.ts';
import { addUnits, nameGuardrail } from '../guardrail.ts';
import type { AnswerReading, AskedGuardrail } from '../operation.ts';

/** What Converse asks for in its body. */
export function readGuardrailConfig(body: JsonObject): AskedGuardrail {
  const { guardrailConfig: config } = body;
  // A member of a large body that is too long to be read.
  if ('guardrailConfig' in body && config === undefined) return null;
  const { guardrailIdentifier, guardrailVersion, trace: _t, streamProcessingMode: _s, ...others } = asObject(config);
  // Another spelling is none to AWS.
  if (Object.keys(others).length > 0) return null;
  return nameGuardrail(guardrailIdentifier, guardrailVersion);
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_GuardrailUsage.html */
const usageTable = tableFigures({
  guardrailContentUnits: 'contentPolicyUnits',
  guardrailTopicUnits: 'topicPolicyUnits',
  guardrailSensitiveUnits: 'sensitiveInformationPolicyUnits',
  guardrailGroundingUnits: 'contextualGroundingPolicyUnits',
  guardrailReasoningUnits: 'automatedReasoningPolicyUnits',
  guardrailImages: 'contentPolicyImageUnits',
  nothing: 'wordPolicyUnits sensitiveInformationPolicyFreeUnits automatedReasoningPolicies',
});

/** Sums what each assessment says: by the guardrail's id one of the input, and several of the output. Null if none says anything. */
function readUnits(trace: unknown): { units: Partial<Usage>; unread: FigureNotes['unread'] } | null {
  const { inputAssessment, outputAssessments, input, outputs } = asObject(asObject(trace).guardrail);
  const ofOutput =
    outputAssessments === undefined
      ? asArray(outputs).flatMap((each) => Object.values(asObject(each)))
      : Object.values(asObject(outputAssessments));
  const units: Partial<Usage> = {};
  let unread: FigureNotes['unread'];
  const told = [...Object.values(asObject(inputAssessment ?? input)), ...ofOutput]
    .flat()
    .flatMap((assessment) => asObject(asObject(assessment).invocationMetrics).usage ?? []);
  if (told.length === 0) return null;
  for (const each of told) {
    const { counts, notes } = readFigures(each, usageTable);
    for (const [name, count] of Object.entries(counts))
      units[name as keyof Usage] = (units[name as keyof Usage] ?? 0) + (count || 0);
    unread = joinUnread(unread, notes.unread);
  }
  return { units, unread };
}

/** Members of Invoke's answers, and of events of its streams, that are AWS' own. */
export const ofAws = 'amazon-bedrock-';

const isZero = (usage: unknown): boolean => {
  const tokens = Object.entries(asObject(usage)).filter(([name]) => /token/i.test(name));
  return tokens.length > 0 && tokens.every(([, count]) => count === 0);
};

/** What an answer says of its guardrail, beside its usage as it stands there. */
interface Told {
  trace: unknown;
  stopReason: unknown;
  action?: unknown;
  usage: unknown;
}

/** Adds what a guardrail bills. An answer that it stopped at its input has run no model, so that its zeros count. */
export function addGuardrail<
  Reading extends Pick<AnswerReading, 'usage' | 'calls' | 'unread' | 'ranNone' | 'tellsUnits'>,
>(reading: Reading, { trace, stopReason, action, usage }: Told): Reading {
  const isStopped = stopReason === 'guardrail_intervened' || action === 'INTERVENED';
  const ranNone = reading.usage === null && isStopped && isZero(usage);
  const own = ranNone ? { ...reading, usage: makeUsage({}), ranNone } : reading;
  const told = readUnits(trace);
  if (told === null || own.usage === null) return own;
  return { ...addUnits(own, told.units), tellsUnits: true, unread: joinUnread(reading.unread, told.unread) };
}

/** The same of Invoke, whose answers and last events have AWS' own members. */
export const addInvoked = <Reading extends Parameters<typeof addGuardrail>[0]>(
  reading: Reading,
  answer: JsonObject,
  usage: unknown,
): Reading =>
  addGuardrail(reading, {
    trace: answer[`${ofAws}trace`],
    stopReason: answer.stop_reason,
    action: answer[`${ofAws}guardrailAction`],
    usage,
  });
