import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { readSettings, serverSettings } from '#server/settings.ts';
import type { TestPlatform } from '../../support/platform.ts';
import type { Person } from '../support/people.ts';

/** Makes members of new gyms without passwords, because hashing a password for each would take most of the time. */
export class People {
  private readonly platform: TestPlatform;
  private readonly key: { kid: string; private_key: string };

  private constructor(platform: TestPlatform, key: { kid: string; private_key: string }) {
    this.platform = platform;
    this.key = key;
  }

  static async of(platform: TestPlatform): Promise<People> {
    const [key] = await platform.sql('identity', 'select kid, private_key from signing_key limit 1');
    return new People(platform, key);
  }

  newGym(count: number): Promise<Person[]> {
    return this.newMembers(count, randomUUID());
  }

  async newMembers(count: number, gymId: string): Promise<Person[]> {
    const ids = Array.from({ length: count }, () => randomUUID());
    await this.platform.sql(
      'identity',
      `insert into user_account (id, email, display_name, role, gym_id, membership_gym_id, membership_status, membership_since, qr_code, created_at, updated_at)
       select id, id || '@example.test', 'Somebody', 'MEMBER', $2, $2, 'ACTIVE', now(), id, now(), now() from unnest($1::uuid[]) as id`,
      [ids, gymId],
    );
    return ids.map((id) => ({ id, token: this.tokenOf(id, gymId) }));
  }

  private tokenOf(id: string, gymId: string): string {
    const { jwtIssuer, jwtAudience } = readSettings(serverSettings, this.platform.env);
    return jwt.sign({ role: 'MEMBER', gymId, sid: randomUUID() }, this.key.private_key, {
      algorithm: 'ES256',
      keyid: this.key.kid,
      issuer: jwtIssuer,
      audience: jwtAudience,
      subject: id,
      jwtid: randomUUID(),
      expiresIn: 900,
    });
  }
}
