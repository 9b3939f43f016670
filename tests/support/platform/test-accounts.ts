import { randomUUID } from 'node:crypto';
import { DEMO_GYMS, DEMO_PASSWORD, type DEMO_PEOPLE } from '#server/demo-ids.ts';
import type { ServiceName } from '#server/settings.ts';
import type { HttpClient } from './http-client.ts';

export type DemoEmail = (typeof DEMO_PEOPLE)[number]['email'];

/** A new member. */
export interface TestAccount {
  id: string;
  email: string;
  password: string;
  token: string;
}

/** Accounts of a test's identity service, and their access tokens. */
export interface TestAccounts {
  /** The access token of a demo account, which is logged in once per platform. */
  demo(email: DemoEmail): Promise<string>;
  /** @param gymId the demo gym Iron Temple by default; null for a user without a gym */
  register(gymId?: string | null): Promise<TestAccount>;
  login(email: string, password: string): Promise<string>;
}

/** SQL: makes an account ($2) an active member of a gym ($1). */
export const MEMBER_OF = `
  update user_account set gym_id = $1, membership_gym_id = $1, membership_status = 'ACTIVE', membership_since = now()
  where id = $2`;

interface Dependencies {
  client: HttpClient<ServiceName>;
  isRunning(service: ServiceName): boolean;
  sql(service: ServiceName, statement: string, values: unknown[]): Promise<unknown>;
}

export function testAccounts({ client, isRunning, sql }: Dependencies): TestAccounts {
  const demoTokens = new Map<DemoEmail, Promise<string>>();

  const login: TestAccounts['login'] = async (email, password) => {
    const { status, body } = await client.rest<{ token: string }>('identity', 'POST', '/auth/login', {
      body: { email, password },
    });
    if (status !== 200) throw new Error(`log-in of ${email} failed: ${JSON.stringify(body)}`);
    return body.token;
  };

  return {
    login,
    demo(email) {
      const token = demoTokens.get(email) ?? login(email, DEMO_PASSWORD);
      demoTokens.set(email, token);
      return token;
    },
    async register(gymId = DEMO_GYMS.ironTemple.id) {
      const email = `user-${randomUUID()}@example.test`;
      const password = `pass-${randomUUID()}`;
      // Identity asks the gym service whether the gym exists. If the gym service does not run in this test, the membership
      // is written into the database of identity.
      const isGymServiceRunning = isRunning('gym');
      const { status, body } = await client.rest<{ id: string }>('identity', 'POST', '/auth/register', {
        body: {
          email,
          password,
          displayName: `Test ${email.slice(5, 9)}`,
          ...(gymId && isGymServiceRunning && { gymId }),
        },
      });
      if (status !== 201) throw new Error(`registration failed: ${JSON.stringify(body)}`);
      if (gymId && !isGymServiceRunning) await sql('identity', MEMBER_OF, [gymId, body.id]);
      return { id: body.id, email, password, token: await login(email, password) };
    },
  };
}
