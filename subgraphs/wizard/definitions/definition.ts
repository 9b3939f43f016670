import type { z } from 'zod';
import type { FieldError } from '#server/errors.ts';
import type { WizardKind } from '../sessions/session.entity.ts';

export interface StepDefinition {
  key: string;
  title: string;
  /** What the step's data must be to be complete. */
  shape: z.ZodObject;
}

/** A wizard as data: which steps, in which order, and what each wants. A change that old sessions do not fit gets a new version. */
export interface WizardDefinition {
  kind: WizardKind;
  version: number;
  steps: readonly StepDefinition[];
}

export type StepStatus = 'EMPTY' | 'INCOMPLETE' | 'COMPLETE';

export interface StepState {
  status: StepStatus;
  errors: FieldError[];
  /** Dotted paths of what is missing. */
  currentlyDue: string[];
}

/** How far the data of a step has come. */
export function stateOf(step: StepDefinition, data: Record<string, unknown>): StepState {
  const result = step.shape.safeParse(data, { reportInput: true });
  const issues = result.success ? [] : result.error.issues;
  const missing = issues.filter((issue) => issue.input === undefined && issue.path.length > 0);
  const errors = issues
    .filter((issue) => !missing.includes(issue))
    .map((issue) => ({ path: issue.path.map(String).join('.'), message: issue.message }));
  return {
    status: Object.keys(data).length === 0 ? 'EMPTY' : result.success ? 'COMPLETE' : 'INCOMPLETE',
    errors,
    currentlyDue: missing.map((issue) => issue.path.map(String).join('.')),
  };
}
