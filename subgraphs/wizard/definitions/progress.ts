import { invalid, type FieldError } from '#server/errors.ts';
import type { StepData, StepDefinition, WizardDefinition } from './definition.ts';

/** SKIPPED: the step does not apply, because of a value in an earlier step. */
type StepStatus = 'EMPTY' | 'INCOMPLETE' | 'COMPLETE' | 'SKIPPED';

export interface StepState {
  key: string;
  title: string;
  status: StepStatus;
  data: Record<string, unknown>;
  errors: FieldError[];
  /** Dotted paths of missing fields. */
  currentlyDue: string[];
}

/** The state of each step of a session. */
export const progressOf = (definition: WizardDefinition, data: StepData): StepState[] =>
  definition.steps.map((step) => stateOf(step, data));

function stateOf(step: StepDefinition, all: StepData): StepState {
  const data = all[step.key] ?? {};
  const common = { key: step.key, title: step.title, data };
  const condition = step.skipIf;
  if (condition && all[condition.step]?.[condition.field] === condition.is)
    return { ...common, status: 'SKIPPED', errors: [], currentlyDue: [] };
  const result = step.shape.safeParse(data, { reportInput: true });
  const issues = result.success ? [] : result.error.issues;
  const missing = issues.filter((issue) => issue.input === undefined && issue.path.length > 0);
  return {
    ...common,
    status: Object.keys(data).length === 0 ? 'EMPTY' : result.success ? 'COMPLETE' : 'INCOMPLETE',
    errors: issues
      .filter((issue) => !missing.includes(issue))
      .map((issue) => ({ path: issue.path.map(String).join('.'), message: issue.message })),
    currentlyDue: missing.map((issue) => issue.path.map(String).join('.')),
  };
}

/** The data that stays in a deployed session: personal data is stored only in the services to which it was written. */
export const keptWhenDeployed = ({ steps }: WizardDefinition, data: StepData): StepData =>
  Object.fromEntries(
    Object.entries(data).flatMap(([key, saved]) => {
      const kept = steps.find((step) => step.key === key)?.keptWhenDeployed;
      if (!kept) return [[key, saved]];
      const fields = Object.entries(saved).filter(([field]) => kept.includes(field));
      return fields.length > 0 ? [[key, Object.fromEntries(fields)]] : [];
    }),
  );

/** The steps of a deployed session: each was complete or skipped. */
export const progressWhenDeployed = (definition: WizardDefinition, data: StepData): StepState[] =>
  progressOf(definition, data).map((state) =>
    state.status === 'SKIPPED' ? state : { ...state, status: 'COMPLETE', errors: [], currentlyDue: [] },
  );

const isPassed = ({ status }: StepState): boolean => status === 'COMPLETE' || status === 'SKIPPED';

/** The fields that are missing or wrong before a deployment; each path begins with the step. */
export const dueOf = (definition: WizardDefinition, data: StepData): FieldError[] =>
  progressOf(definition, data)
    .filter((state) => !isPassed(state))
    .flatMap(({ key, errors, currentlyDue }) => [
      ...currentlyDue.map((path) => ({ path: `${key}.${path}`, message: 'is missing' })),
      ...errors.map(({ path, message }) => ({ path: path ? `${key}.${path}` : key, message })),
    ]);

/**
 * The step to which the session moves: the requested step if all steps before it are complete, else the first incomplete
 * one. Without a requested step, it moves from a complete current step to the next one, and stays at an incomplete one; it
 * never moves beyond the first incomplete step. Skipped steps are passed over.
 */
export function nextStep(
  definition: WizardDefinition,
  current: string,
  requested: string | undefined,
  data: StepData,
): string {
  const states = progressOf(definition, data);
  const position = (key: string) => states.findIndex((state) => state.key === key);
  const firstOpen = states.findIndex((state) => !isPassed(state));
  const furthest = firstOpen === -1 ? states.length - 1 : firstOpen;
  const from = Math.max(position(current), 0);
  const isCurrentPassed = states[from] !== undefined && isPassed(states[from]);
  let wanted =
    requested === undefined
      ? from + (isCurrentPassed ? 1 : 0)
      : position(stepOf(definition, requested, 'currentStep').key);
  while (states[wanted]?.status === 'SKIPPED') wanted += 1;
  return states[Math.min(wanted, furthest)]?.key ?? current;
}

/** @throws VALIDATION_FAILED for a step that the wizard does not have */
export function stepOf(definition: WizardDefinition, key: string, field: string): StepDefinition {
  const step = definition.steps.find((each) => each.key === key);
  if (!step)
    throw invalid(
      field,
      `expected one of ${definition.steps.map((each) => each.key).join(', ')}, got "${key.slice(0, 60)}"`,
    );
  return step;
}

export function firstStepOf(definition: WizardDefinition): StepDefinition {
  const [first] = definition.steps;
  if (!first) throw new Error(`The definition ${definition.kind} has no steps.`);
  return first;
}
