export {
  type BudgetRow,
  type BudgetSet,
  type Charge,
  type ChargedCall,
  type Charges,
  countsTheSame,
  type DailyCap,
  type DailyCaps,
  type Definition,
  findCharges,
  isCapped,
  listAmounts,
  prepareCounted,
  prepareHeld,
  tagOf,
  toCharge,
  toDailyCap,
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
