export {
  type BudgetRow,
  type BudgetSet,
  type Charge,
  type ChargedCall,
  type Charges,
  countsTheSame,
  findCharges,
  listAmounts,
  prepareCounted,
  prepareHeld,
  type StoredBudget as Definition,
  steps,
  toCharge,
} from './charges.ts';
export {
  type BudgetPreview,
  type BudgetUse,
  budgetPreviewSchema,
  type ExplainedBudget,
  explainedBudgetListSchema,
  maxBudgets,
  mostUses,
  type StoredBudget,
  storedBudgetListSchema,
  storedBudgetSchema,
} from './contract.ts';
export { type BudgetDefinition, budgetSchema, splitLabelOf, type Unit, units } from './schema.ts';
export { findWindow, isCalendar, type Window } from './windows.ts';
