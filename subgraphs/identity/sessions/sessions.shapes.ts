import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { anyPassword, UserShape } from '../users/users.shapes.ts';

export const SessionShape = z
  .object({
    id: uuid(),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    userAgent: z.string(),
    address: z.string(),
    current: z.boolean(),
  })
  .meta({ id: 'Session' });
export type SessionShape = z.infer<typeof SessionShape>;

export const AuthPayloadShape = z
  .object({
    token: z.string(),
    tokenType: z.literal('Bearer'),
    expiresIn: z.int(),
    refreshToken: z.string(),
    user: UserShape,
  })
  .meta({ id: 'AuthPayload' });
export type AuthPayloadShape = z.infer<typeof AuthPayloadShape>;

// The three shapes below accept other fields and ignore them: some clients send all fields of a form or of an earlier answer.
export const LoginShape = z
  .looseObject({
    email: z
      .string()
      .trim()
      .max(254)
      .regex(/^\P{Cc}*$/u, 'expected an email address'),
    password: anyPassword,
  })
  .meta({ graphType: 'LoginInput' });

const refreshToken = z.string().max(200);
export const RefreshShape = z.looseObject({ refreshToken }).meta({ graphType: 'RefreshTokenInput' });
/** Without a refresh token, the session of the access token ends. */
export const LogoutShape = z
  .looseObject({ refreshToken: refreshToken.nullish() })
  .default({})
  .meta({ graphType: 'LogoutInput' });

export const EndedSessionsShape = z
  .object({
    sessions: z
      .array(
        z.object({
          id: uuid().meta({ description: 'The `sid` of the access tokens; of a machine client, its id.' }),
          refusedUntil: z.iso.datetime().meta({
            description:
              'Its access tokens that expire before this time are refused; after this time the entry can be dropped.',
          }),
        }),
      )
      .meta({
        description:
          'The sessions that have ended, those that continue with another role or without their gym, and the deleted machine clients; the earliest first.',
      }),
    next: z.string().meta({ description: '`since` of the next request. An entry may be sent twice.' }),
    more: z.boolean().meta({
      description: 'Whether there are more entries, so that the next request should follow at once.',
    }),
  })
  .meta({ id: 'EndedSessions' });
export type EndedSessionsShape = z.infer<typeof EndedSessionsShape>;
