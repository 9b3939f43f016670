import { z } from 'zod';
import { ResolutionAction } from '#server/saga/saga.ts';
import { visibleText } from '#server/shapes.ts';

export const ResolveDeploymentShape = z
  .object({
    action: z
      .enum(ResolutionAction, `expected ${Object.values(ResolutionAction).join(' or ')}`)
      .meta({ description: 'RETRY tries again to undo what is left; ACCEPT leaves it.' }),
    note: visibleText(1_000).meta({ description: 'The reason, for later readers.' }),
  })
  .meta({ graphType: 'ResolveDeploymentInput' });
