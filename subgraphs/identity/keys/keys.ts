import { requireRole, Role } from '#server/auth/viewer.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { Audit } from '../audit/audit.ts';
import type { KeyRing } from './key-ring.ts';

/** The rules for the installation's signing keys. */
export class Keys {
  private readonly unit: UnitOfWork;
  private readonly ring: KeyRing;
  private readonly audit: Audit;

  constructor(unit: UnitOfWork, ring: KeyRing, audit: Audit) {
    this.unit = unit;
    this.ring = ring;
    this.audit = audit;
  }

  /** A JSON Web Key Set; public. */
  published() {
    return { keys: this.ring.published().map(({ jwk }) => jwk) };
  }

  /**
   * Creates the next key now; for SUPER_ADMIN. While that key is published but not signing, a repeated call returns it, and is
   * not audited.
   */
  async rotate(): Promise<{ kid: string; signsFrom: string }> {
    requireRole(this.unit.viewer, Role.SUPER_ADMIN);
    const { kid, signsFrom } = await this.ring.rotate((created, em) =>
      this.audit.record(
        'SIGNING_KEY_ROTATED',
        null,
        { kid: created.kid, signsFrom: created.signsFrom.toISOString() },
        em,
      ),
    );
    return { kid, signsFrom: signsFrom.toISOString() };
  }
}
