import type { DatabaseDeclaration } from '#server/database/database.ts';
import { SigningKey } from './keys/signing-key.entity.ts';
import { migrations } from './migrations/index.ts';
import { EndedSession } from './sessions/ended-session.entity.ts';
import { LoginFailures } from './sessions/login-failures.entity.ts';
import { RefreshToken } from './sessions/refresh-token.entity.ts';
import { Session } from './sessions/session.entity.ts';
import { User } from './users/user.entity.ts';

export const database: DatabaseDeclaration = {
  name: 'platform_identity',
  entities: [User, Session, RefreshToken, EndedSession, LoginFailures, SigningKey],
  migrations,
};
