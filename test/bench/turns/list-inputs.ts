import { listDataInputs, patternInputs } from './data-inputs.ts';
import type { Input } from './input.ts';
import { policyInputs } from './policy-inputs.ts';

/** @param check its address */
export const listInputs = (check: string): Input[] => [...listDataInputs(check), ...patternInputs, ...policyInputs];
