import { z } from 'zod';
import { versionNumber } from '#server/shapes.ts';
import { ActionStatus, ResolutionAction, SagaStatus } from '#server/saga/saga.ts';
import { WizardKind } from '../definitions/wizard-kind.ts';
import { WizardStatus } from './session.entity.ts';

export const kind = z.enum(WizardKind, `expected ${Object.values(WizardKind).join(' or ')}`);
export const status = z.enum(WizardStatus, `expected one of ${Object.values(WizardStatus).join(', ')}`);

const WizardStepShape = z
  .object({
    key: z.string(),
    title: z.string(),
    status: z
      .enum(['EMPTY', 'INCOMPLETE', 'COMPLETE', 'SKIPPED'])
      .meta({ description: 'SKIPPED: the step does not apply, because of a value in an earlier step.' }),
    data: z.record(z.string(), z.unknown()),
    errors: z.array(z.object({ path: z.string(), message: z.string() })),
    currentlyDue: z.array(z.string()).meta({ description: 'Dotted paths of the missing fields.' }),
  })
  .meta({ id: 'WizardStep' });

const WizardFileShape = z
  .object({
    id: z.uuid(),
    step: z.string(),
    field: z.string(),
    filename: z.string(),
    contentType: z.enum(['image/webp', 'application/pdf']),
    bytes: z.int(),
    uploadedAt: z.iso.datetime(),
    url: z.url().meta({
      description:
        'The URL of the file: for callers who may open the session; pictures of a deployed gym are public.',
    }),
  })
  .meta({ id: 'WizardFile' });
type WizardFileShape = z.infer<typeof WizardFileShape>;

const actionError = z.object({ code: z.string(), message: z.string() });

const WizardResolutionShape = z
  .object({
    action: z.enum(ResolutionAction),
    note: z.string(),
    by: z
      .uuid()
      .nullable()
      .meta({ description: 'The SUPER_ADMIN who decided; null once their account is deleted.' }),
    at: z.iso.datetime(),
  })
  .meta({ id: 'WizardResolution' });

export const WizardDeploymentShape = z
  .object({
    status: z.enum(SagaStatus).meta({
      description:
        'RUNNING until DONE; UNDOING until UNDONE if an action was refused; UNDO_FAILED if an action could not be undone, until a SUPER_ADMIN resolves it.',
    }),
    startedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
    actions: z.array(
      z.object({
        name: z.string(),
        service: z.string().meta({ description: 'The service that the action calls.' }),
        status: z.enum(ActionStatus),
        attempts: z.int(),
        error: actionError.optional().meta({
          description:
            'Why the last attempt failed; for an action that was done, why it could not be undone.',
        }),
        undoError: actionError
          .optional()
          .meta({ description: 'Why the last attempt to undo the action failed.' }),
        result: z.unknown().meta({ description: 'The result of the action; null if there is none.' }),
      }),
    ),
    result: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: 'Once DONE: the ids of the created objects.' }),
    resolution: WizardResolutionShape.nullable().meta({
      description: 'The last decision about a deployment that could not be undone; null if there is none.',
    }),
  })
  .meta({ id: 'WizardDeployment' });
export type WizardDeploymentShape = z.infer<typeof WizardDeploymentShape>;

export const WizardSessionShape = z
  .object({
    id: z.uuid(),
    kind,
    status,
    definitionVersion: z.int(),
    currentStep: z.string(),
    steps: z.array(WizardStepShape),
    files: z.array(WizardFileShape),
    version: z.int(),
    createdBy: z.uuid().nullable(),
    gymId: z.uuid().nullable().meta({
      description: 'For MEMBER_ONBOARDING the gym of the owner; for GYM_SETUP the gym, once it is created.',
    }),
    expiresAt: z.iso.datetime(),
    deployment: WizardDeploymentShape.nullable().meta({
      description: 'The last deployment; null if there was none.',
    }),
    resumeToken: z
      .string()
      .optional()
      .meta({ description: 'Only in the answer that creates a session without an account.' }),
  })
  .meta({ id: 'WizardSession' });
export type WizardSessionShape = z.infer<typeof WizardSessionShape>;

export const CreateWizardSessionShape = z.object({ kind }).meta({ graphType: 'CreateWizardSessionInput' });

export const UpdateWizardSessionShape = z
  .object({
    step: z
      .string()
      .nullish()
      .meta({ description: 'Key of the step to which the data belongs; absent: the current step.' }),
    data: z
      .record(z.string(), z.unknown(), 'expected an object')
      .nullish()
      .meta({ description: 'Merged into the saved data of the step; null removes a key.' }),
    currentStep: z.string().nullish().meta({ description: 'Key of the step to move to.' }),
    version: versionNumber.nullish(),
  })
  .meta({ graphType: 'UpdateWizardSessionInput' });

export const ClaimWizardSessionShape = z
  .object({
    resumeToken: z.string('expected the token of the session').min(1).max(200),
  })
  .meta({ graphType: 'ClaimWizardSessionInput' });
