/** Which of our types stands behind each GraphQL type; code generation reads this file. */
export type { WizardSessionShape as WizardSession } from './sessions/sessions.shapes.ts';
