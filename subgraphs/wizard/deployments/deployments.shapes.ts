import { z } from 'zod';
import { ResolutionAction } from '#server/saga/saga.ts';
import { visibleText } from '#server/shapes.ts';

export const ResolveDeploymentShape = z
  .object({
    action: z.enum(ResolutionAction, `expected ${Object.values(ResolutionAction).join(' or ')}`),
    note: visibleText(1_000),
  })
  .meta({ graphType: 'ResolveDeploymentInput' });
