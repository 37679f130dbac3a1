import { makeUsage, type Usage } from '@agp/catalogue';
import { readGuardrail } from '@agp/core/bedrock';
import { type AskedGuardrail, addUsage, type ReportedCall } from './operation.ts';

export function nameGuardrail(id: unknown, version: unknown): AskedGuardrail {
  if (id === undefined || id === null || id === '') return false;
  const name = typeof id === 'string' && typeof version === 'string' ? `${id}:${version}` : '';
  return readGuardrail(name)?.version ? name : null;
}

type Told = { usage: Usage | null; calls?: readonly ReportedCall[] };

/** Adds what a guardrail bills to figures of the call that it guards, if there are any. */
export function addUnits<Reading extends Told>(reading: Reading, units: Partial<Usage>): Reading {
  const { usage, calls } = reading;
  if (usage === null || Object.keys(units).length === 0) return reading;
  const sum = { ...usage };
  const own = makeUsage(units);
  addUsage(sum, own);
  return { ...reading, usage: sum, ...(calls && { calls: [...calls, { model: null, usage: own }] }) };
}
