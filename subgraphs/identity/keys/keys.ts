import { requireRole, Role } from '#server/auth/viewer.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { Audit } from '../audit/audit.ts';
import type { KeyRing } from './key-ring.ts';

/** The keys of the installation, as the world sees them. */
export class Keys {
  private readonly unit: UnitOfWork;
  private readonly ring: KeyRing;
  private readonly audit: Audit;

  constructor(unit: UnitOfWork, ring: KeyRing, audit: Audit) {
    this.unit = unit;
    this.ring = ring;
    this.audit = audit;
  }

  /** A JSON Web Key Set; for everybody. */
  published() {
    return { keys: this.ring.published().map(({ jwk }) => jwk) };
  }

  /** Makes the next key, without waiting for its time; for SUPER_ADMIN. Repeated while it is only published, it is the same one. */
  async rotate(): Promise<{ kid: string; signsFrom: string }> {
    requireRole(this.unit.viewer, Role.SUPER_ADMIN);
    const { kid, signsFrom } = await this.ring.rotate();
    await this.audit.record('SIGNING_KEY_ROTATED', null, { kid, signsFrom: signsFrom.toISOString() });
    return { kid, signsFrom: signsFrom.toISOString() };
  }
}
