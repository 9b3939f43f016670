import { requireRole, requireUser, Role, type UserViewer } from '#server/auth/viewer.ts';
import { conflict, notFound, PlatformError } from '#server/errors.ts';
import type { PlannedAction, Saga } from '#server/saga/saga.ts';
import type { Sagas } from '#server/saga/sagas.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { requireDeployer } from '../access.ts';
import { RESERVATION_MILLIS } from '../availability/resources.ts';
import type { WizardDefinitions } from '../definitions/definitions.ts';
import { dueOf } from '../definitions/progress.ts';
import { requireEditable } from '../sessions/session-change.ts';
import type { SessionRecord } from '../sessions/session-store.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { WizardSessionShape } from '../sessions/sessions.shapes.ts';
import type { WizardStorage } from '../storage.ts';
import { DEPLOYMENT, type DeploymentContext } from './deployment-context.ts';
import { reopen } from './deployment-saga.ts';
import { ResolveDeploymentShape } from './deployments.shapes.ts';
import { gymPlan, gymResources } from './gym-setup.ts';
import { memberPlan } from './member-onboarding.ts';

interface DeploymentsOptions {
  storage: WizardStorage;
  definitions: WizardDefinitions;
  sessions: Sessions;
  sagas: Sagas;
}

/** Deploys completed sessions. The rights of the viewer are checked here; a saga then acts with this service's own token. */
export class Deployments {
  private readonly unit: UnitOfWork;
  private readonly options: DeploymentsOptions;

  constructor(unit: UnitOfWork, options: DeploymentsOptions) {
    this.unit = unit;
    this.options = options;
  }

  /**
   * Starts the deployment, only once: a running or finished deployment is returned unchanged.
   * @throws FORBIDDEN for users who may prepare but not deploy the session, WIZARD_INCOMPLETE naming what is missing,
   * VERSION_CONFLICT, CONFLICT if another session has reserved a value that this session needs
   */
  async deploy(id: string, expectedVersion?: number): Promise<WizardSessionShape> {
    const { sessions } = this.options;
    const viewer = requireUser(this.unit.viewer);
    for (;;) {
      const session = await sessions.open(id);
      requireDeployer(viewer, session);
      if (session.status === 'DEPLOYING' || session.status === 'DEPLOYED') return sessions.presented(session);
      this.requireComplete(session);
      try {
        const begun = await this.begin(viewer, session, expectedVersion ?? session.version);
        return await sessions.presented(begun.session, begun.saga);
      } catch (error) {
        // Another request changed or deployed the session first. The session is read again, unless the caller expects a
        // version.
        const isOvertaken = error instanceof PlatformError && error.code === 'VERSION_CONFLICT';
        if (!isOvertaken) throw error;
        const current = await sessions.open(id);
        if (current.status === 'DEPLOYING' || current.status === 'DEPLOYED')
          return sessions.presented(current);
        if (expectedVersion !== undefined) throw error;
      }
    }
  }

  /**
   * Decides about a deployment that could not be undone (UNDO_FAILED), for a SUPER_ADMIN. RETRY continues to undo; ACCEPT
   * leaves the remaining effects in place, releases the names and lets the session be corrected or cancelled.
   * @throws CONFLICT for a deployment in another state
   */
  async resolve(id: string, input: unknown): Promise<WizardSessionShape> {
    const { storage, sessions, sagas } = this.options;
    const viewer = requireRole(this.unit.viewer, Role.SUPER_ADMIN);
    const { action, note } = validated(ResolveDeploymentShape, input);
    await sessions.requireOpen(id);
    const [last] = await sagas.findBySubjects(DEPLOYMENT, [id]);
    if (!last)
      throw conflict(
        'Expected a session with a deployment that could not be undone; this one was never deployed.',
      );
    const { saga, session } = await storage.transaction(this.unit, async () => {
      const resolved = await sagas.resolve(last.id, { action, note, by: viewer.userId }, this.unit);
      if (action === 'RETRY') await reopen(storage, resolved, this.unit);
      const [changed] = await storage.sessions(this.unit).findByIds([id]);
      return { saga: resolved, session: changed };
    });
    if (!session) throw notFound('wizard session', id);
    return sessions.presented(session, saga);
  }

  /** Writes status, reservations and saga in one transaction. */
  private begin(
    viewer: UserViewer,
    session: SessionRecord,
    version: number,
  ): Promise<{ session: SessionRecord; saga: Saga }> {
    const { storage, sessions, sagas } = this.options;
    const actions = planOf(session);
    return storage.transaction(this.unit, async () => {
      await this.reserve(session);
      const deploying = await sessions.change(session.id, undefined, version, (current) => {
        requireEditable(current);
        return { ...current, status: 'DEPLOYING' };
      });
      await storage.reservations(this.unit).extend(session.id, null);
      const { requestId, traceparent } = this.unit.origin;
      const context: DeploymentContext = {
        sessionId: session.id,
        actorId: viewer.userId,
        requestId,
        traceparent,
      };
      const { isNew, saga } = await sagas.start(
        { kind: DEPLOYMENT, subject: session.id, context, actions },
        this.unit,
      );
      if (!isNew) throw conflict('This wizard session is already being deployed.');
      return { session: deploying, saga };
    });
  }

  /**
   * Reserves values in the same order for all sessions: if two sessions need the same values, one of them gets all. If the
   * session itself can no longer be changed, nothing is reserved, and `begin` then refuses to change its status.
   * @throws CONFLICT if another session has reserved one of the values
   */
  private async reserve(session: SessionRecord): Promise<void> {
    const reservations = this.options.storage.reservations(this.unit);
    const until = new Date(Date.now() + RESERVATION_MILLIS);
    for (const { resource, value, path } of session.kind === 'GYM_SETUP' ? gymResources(session.data) : [])
      if (
        (await reservations.reserve({ resource, value, sessionId: session.id, places: 1, until })) ===
        'RESERVED'
      )
        throw conflict(
          `${path} is reserved by another wizard session; choose another value, or try again later.`,
          {
            errors: [{ path, message: 'is reserved by another wizard session' }],
          },
        );
  }

  private requireComplete(session: SessionRecord): void {
    requireEditable(session);
    const errors = dueOf(this.options.definitions[session.kind], session.data);
    if (errors.length > 0)
      throw new PlatformError(
        'WIZARD_INCOMPLETE',
        `Not complete yet: ${errors
          .slice(0, 20)
          .map(({ path, message }) => `${path} ${message}`)
          .join('; ')}.`,
        { errors },
      );
    if (session.kind === 'MEMBER_ONBOARDING' && session.createdBy === null)
      throw conflict('This session has no account yet; its member must log in and claim it first.');
  }
}

const planOf = (session: SessionRecord): PlannedAction[] =>
  session.kind === 'GYM_SETUP' ? gymPlan(session.data) : memberPlan(session.createdBy ?? '', session.data);
