export {
  type BudgetRow,
  type BudgetSet,
  type Charge,
  type ChargedCall,
  type Charges,
  countsTheSame,
  type Definition,
  findCharges,
  listAmounts,
  prepareCounted,
  prepareHeld,
  tagOf,
  toCharge,
} from './charges.ts';
export {
  type BudgetPreview,
  type BudgetUse,
  budgetPreviewSchema,
  type ExplainedBudget,
  explainedBudgetListSchema,
  maxBudgets,
  maxBudgetsOfTeam,
  mostUses,
  type StoredBudget,
  storedBudgetListSchema,
  storedBudgetSchema,
} from './contract.ts';
export { type BudgetDefinition, budgetSchema, steps, type Unit } from './schema.ts';
export { findWindow, isCalendar, never, type Window, windowChoices } from './windows.ts';
