import { z } from 'zod';
import { WizardKind, WizardStatus } from './session.entity.ts';

export const kind = z.enum(WizardKind, `expected ${Object.values(WizardKind).join(' or ')}`);
export const status = z.enum(WizardStatus, `expected one of ${Object.values(WizardStatus).join(', ')}`);

export const WizardStepShape = z
  .object({
    key: z.string(),
    title: z.string(),
    status: z.enum(['EMPTY', 'INCOMPLETE', 'COMPLETE']),
    data: z.record(z.string(), z.unknown()),
    errors: z.array(z.object({ path: z.string(), message: z.string() })),
    currentlyDue: z.array(z.string()).meta({ description: 'Dotted paths of what is still to be filled in.' }),
  })
  .meta({ id: 'WizardStep' });

export const WizardSessionShape = z
  .object({
    id: z.uuid(),
    kind,
    status,
    definitionVersion: z.int(),
    currentStep: z.string(),
    steps: z.array(WizardStepShape),
    version: z.int(),
    createdBy: z.uuid().nullable(),
    gymId: z.uuid().nullable(),
    expiresAt: z.iso.datetime(),
    resumeToken: z
      .string()
      .optional()
      .meta({ description: 'Only in the answer that creates a session without an account.' }),
  })
  .meta({ id: 'WizardSession' });
export type WizardSessionShape = z.infer<typeof WizardSessionShape>;

export const CreateWizardSessionShape = z.object({ kind });

export const UpdateWizardSessionShape = z.object({
  step: z
    .string()
    .nullish()
    .meta({ description: 'Key of the step that data belongs to; absent: the current one.' }),
  data: z
    .record(z.string(), z.unknown(), 'expected an object')
    .nullish()
    .meta({ description: 'Merged into what is saved of the step; null removes a key.' }),
  currentStep: z.string().nullish().meta({ description: 'Key of the step to move to.' }),
  version: z.int().nullish(),
});
