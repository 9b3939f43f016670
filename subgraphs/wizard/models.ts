/**
 * For a GraphQL type whose resolvers get objects of a TypeScript type of their own: that type, by the name of the GraphQL type.
 * `npm run generate` reads this file.
 */
export type { AvailabilityShape as Availability } from './availability/availability.shapes.ts';
export type { FirstVisitShape as FirstVisit } from './first-visits/first-visits.shapes.ts';
export type {
  WizardDeploymentShape as WizardDeployment,
  WizardSessionShape as WizardSession,
} from './sessions/sessions.shapes.ts';
import type { WizardDeploymentShape } from './sessions/sessions.shapes.ts';
export type WizardDeploymentAction = WizardDeploymentShape['actions'][number];
/** An entity of identity, of which this service has only the id. */
export interface User {
  id: string;
}
export type { JobShape as Job } from '#server/jobs/jobs.shapes.ts';
