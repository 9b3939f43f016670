import { z } from 'zod';
import { uuid, versionNumber } from '#server/shapes.ts';
import { ActionStatus, ResolutionAction, SagaStatus } from '#server/saga/saga.ts';
import { WizardKind } from '../definitions/wizard-kind.ts';
import { WizardStatus } from './session.entity.ts';

export const kind = z.enum(WizardKind, `expected ${Object.values(WizardKind).join(' or ')}`);
export const status = z.enum(WizardStatus, `expected one of ${Object.values(WizardStatus).join(', ')}`);

const WizardStepShape = z
  .object({
    key: z.string(),
    title: z.string(),
    status: z.enum(['EMPTY', 'INCOMPLETE', 'COMPLETE', 'SKIPPED']),
    data: z.record(z.string(), z.unknown()),
    errors: z.array(z.object({ path: z.string(), message: z.string() })),
    currentlyDue: z.array(z.string()),
  })
  .meta({ id: 'WizardStep' });

const WizardFileShape = z
  .object({
    id: uuid(),
    step: z.string(),
    field: z.string(),
    filename: z.string(),
    contentType: z.enum(['image/webp', 'application/pdf']),
    bytes: z.int(),
    uploadedAt: z.iso.datetime(),
    url: z.url(),
  })
  .meta({ id: 'WizardFile' });
type WizardFileShape = z.infer<typeof WizardFileShape>;

const actionError = z.object({ code: z.string(), message: z.string() });

const WizardResolutionShape = z
  .object({
    action: z.enum(ResolutionAction),
    note: z.string(),
    by: uuid().nullable(),
    at: z.iso.datetime(),
  })
  .meta({ id: 'WizardResolution' });

export const WizardDeploymentShape = z
  .object({
    status: z.enum(SagaStatus),
    startedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
    actions: z.array(
      z.object({
        name: z.string(),
        service: z.string(),
        status: z.enum(ActionStatus),
        attempts: z.int(),
        error: actionError.optional(),
        undoError: actionError.optional(),
        result: z.unknown(),
      }),
    ),
    result: z.record(z.string(), z.unknown()).nullable(),
    resolution: WizardResolutionShape.nullable(),
  })
  .meta({ id: 'WizardDeployment' });
export type WizardDeploymentShape = z.infer<typeof WizardDeploymentShape>;

export const WizardSessionShape = z
  .object({
    id: uuid(),
    kind,
    status,
    definitionVersion: z.int(),
    currentStep: z.string(),
    steps: z.array(WizardStepShape),
    files: z.array(WizardFileShape),
    version: z.int(),
    createdBy: uuid().nullable(),
    gymId: uuid().nullable(),
    expiresAt: z.iso.datetime(),
    deployment: WizardDeploymentShape.nullable(),
    resumeToken: z.string().optional(),
  })
  .meta({ id: 'WizardSession' });
export type WizardSessionShape = z.infer<typeof WizardSessionShape>;

export const CreateWizardSessionShape = z.object({ kind }).meta({ graphType: 'CreateWizardSessionInput' });

export const UpdateWizardSessionShape = z
  .object({
    step: z.string().nullish(),
    data: z.record(z.string(), z.unknown(), 'expected an object').nullish(),
    currentStep: z.string().nullish(),
    version: versionNumber.nullish(),
  })
  .meta({ graphType: 'UpdateWizardSessionInput' });

export const ClaimWizardSessionShape = z
  .object({
    resumeToken: z.string('expected the token of the session').min(1).max(200),
  })
  .meta({ graphType: 'ClaimWizardSessionInput' });
