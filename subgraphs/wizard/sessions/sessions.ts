import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { requireRole, requireUser, Role, type UserViewer } from '#server/auth/viewer.ts';
import { DAY_MILLIS } from '#server/durations.ts';
import { checkVersion, notFound, unauthenticated } from '#server/errors.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import { discard } from '#server/files/unused-files.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import { loaderOf } from '#server/loaders.ts';
import { cursorsOf, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { Saga } from '#server/saga/saga.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { mayOpen, maySeeSessionsOf } from '../access.ts';
import type { WizardDefinition } from '../definitions/definition.ts';
import type { WizardDefinitions } from '../definitions/definitions.ts';
import { firstStepOf } from '../definitions/progress.ts';
import { migratedSession } from '../definitions/versions.ts';
import type { WizardStorage } from '../storage.ts';
import { hashOfToken, isToken, newResumeToken } from './resume-tokens.ts';
import type { WizardKind } from '../definitions/wizard-kind.ts';
import type { WizardStatus } from './session.entity.ts';
import { changedBy, requireEditable } from './session-change.ts';
import { sessionEvents } from './session-events.ts';
import { fileKey, type SessionFile } from './session-files.ts';
import { LIFETIME_MILLIS, statusOf, type SessionRecord, type SessionStore } from './session-store.ts';
import { present, migratedOrAsStored } from './session-view.ts';
import {
  ClaimWizardSessionShape,
  CreateWizardSessionShape,
  UpdateWizardSessionShape,
  type WizardSessionShape,
} from './sessions.shapes.ts';

const ANONYMOUS_LIFETIME_MILLIS = 7 * DAY_MILLIS;
const cursors = cursorsOf('wizardSessions', z.tuple([uuid()]));

interface SessionFilters {
  status?: WizardStatus | null | undefined;
  kind?: WizardKind | null | undefined;
}

interface SessionsOptions {
  storage: WizardStorage;
  definitions: WizardDefinitions;
  files: FileStorage;
  /** The public URL of this service. */
  publicUrl: string;
  /** The last deployment of each of these sessions. */
  deploymentsOf(sessionIds: readonly string[]): Promise<Saga[]>;
}

/**
 * Wizard sessions. A session belongs to the user who created or claimed it. Until then, a caller with its resume token can
 * open it.
 */
export class Sessions {
  private readonly unit: UnitOfWork;
  private readonly options: SessionsOptions;
  private readonly store: SessionStore;
  private readonly byId = loaderOf(
    (ids) => this.store.findByIds(ids),
    (session) => session.id,
  );
  private readonly deployments = loaderOf(
    (ids) => this.options.deploymentsOf(ids),
    (saga) => saga.subject,
  );

  constructor(unit: UnitOfWork, options: SessionsOptions) {
    this.unit = unit;
    this.options = options;
    this.store = options.storage.sessions(unit);
  }

  /**
   * Begins a session. MEMBER_ONBOARDING needs no account; the answer to a caller without an account contains the
   * `resumeToken`.
   */
  async create(input: unknown): Promise<WizardSessionShape> {
    const { kind } = validated(CreateWizardSessionShape, input);
    const owner = this.ownerOf(kind);
    const resumeToken = owner ? undefined : newResumeToken();
    const definition = this.options.definitions[kind];
    const now = new Date();
    const session: SessionRecord = {
      id: uuidv7(),
      kind,
      status: 'DRAFT',
      definitionVersion: definition.version,
      currentStep: firstStepOf(definition).key,
      data: {},
      files: [],
      version: 1,
      createdBy: owner?.userId ?? null,
      gymId: kind === 'GYM_SETUP' ? null : (owner?.gymId ?? null),
      resumeTokenHash: resumeToken ? hashOfToken(resumeToken) : null,
      expiresAt: new Date(now.getTime() + (owner ? LIFETIME_MILLIS : ANONYMOUS_LIFETIME_MILLIS)),
      createdAt: now,
      updatedAt: now,
    };
    await this.store.insert(session);
    return { ...(await this.presented(session)), ...(resumeToken && { resumeToken }) };
  }

  /** @throws NOT_FOUND, also for another user's session; WIZARD_VERSION_UNSUPPORTED */
  async get(id: string, resumeToken?: string | null): Promise<WizardSessionShape> {
    return this.presented(await this.open(id, resumeToken));
  }

  /** The viewer's own sessions, newest first; all sessions for a SUPER_ADMIN. */
  async list(filters: SessionFilters, page: PageRequest): Promise<Page<WizardSessionShape>> {
    const viewer = requireUser(this.unit.viewer);
    return this.pageOf(viewer.role === Role.SUPER_ADMIN ? undefined : viewer.userId, filters, page);
  }

  /** The sessions of one user. For this user and for a SUPER_ADMIN. @throws NOT_FOUND for other viewers */
  async ofUser(
    userId: string,
    filters: SessionFilters,
    page: PageRequest,
  ): Promise<Page<WizardSessionShape>> {
    if (!maySeeSessionsOf(requireUser(this.unit.viewer), userId))
      throw notFound('wizard session of user', userId);
    return this.pageOf(userId, filters, page);
  }

  /**
   * Saves a part of a step and validates it. The session moves to a later step only if the steps before it are complete or
   * skipped.
   */
  async update(
    id: string,
    input: unknown,
    resumeToken?: string | null,
    expectedVersion?: number,
  ): Promise<WizardSessionShape> {
    const change = validated(UpdateWizardSessionShape, input);
    const expected = expectedVersion ?? change.version ?? undefined;
    return this.presented(
      await this.change(id, resumeToken, expected, (session, definition) =>
        changedBy(session, change, definition),
      ),
    );
  }

  /**
   * Claims the session of a resume token for the viewer; from then on the token is no longer valid.
   * @throws NOT_FOUND, also for a wrong token; CONFLICT for a session that can no longer be changed
   */
  async claim(id: string, input: unknown): Promise<WizardSessionShape> {
    const { userId, gymId } = requireUser(this.unit.viewer);
    const { resumeToken } = validated(ClaimWizardSessionShape, input);
    return this.presented(
      await this.change(id, resumeToken, undefined, (session) => {
        if (session.createdBy === userId) return session;
        if (!isToken(resumeToken, session.resumeTokenHash)) throw notFound('wizard session', id);
        requireEditable(session);
        return {
          ...session,
          createdBy: userId,
          gymId,
          resumeTokenHash: null,
          expiresAt: new Date(Date.now() + LIFETIME_MILLIS),
        };
      }),
    );
  }

  /** Cancels a session that is not deployed; releases its reservations and removes its files. Idempotent. */
  async cancel(
    id: string,
    resumeToken?: string | null,
    expectedVersion?: number,
  ): Promise<WizardSessionShape> {
    const { storage, files } = this.options;
    await this.load(id, resumeToken);
    let removed: readonly SessionFile[] = [];
    const cancelled = await storage.transaction(this.unit, async () => {
      const changed = await this.changeStored(id, resumeToken, expectedVersion, (session) => {
        if (session.status === 'CANCELLED') return session;
        const status = statusOf(session);
        if (status !== 'EXPIRED') requireEditable(session);
        // These are the files of the version that is cancelled; an upload may have added one after the `load` above.
        removed = session.files;
        return { ...session, status: 'CANCELLED', files: [] };
      });
      await storage.reservations(this.unit).release(id);
      return changed;
    });
    await discard(
      files,
      removed.map((file) => fileKey(id, file.id)),
      this.unit.log,
    );
    return this.presented(cancelled);
  }

  /**
   * An event at once, and at every change of the session or of its deployment.
   * @throws NOT_FOUND, also for another user's session
   */
  async changes(
    id: string,
    resumeToken?: string | null,
  ): Promise<AsyncIterableIterator<{ sessionId: string }>> {
    await this.load(id, resumeToken);
    return sessionEvents(this.options.storage, id);
  }

  /** Requires that the viewer may open the session, in any version. @throws NOT_FOUND, UNAUTHENTICATED */
  async requireOpen(id: string, resumeToken?: string | null): Promise<void> {
    await this.load(id, resumeToken);
  }

  /** The stored session in the current version of its definition, for other rules. @throws the errors of `get` */
  async open(id: string, resumeToken?: string | null): Promise<SessionRecord> {
    const session = await this.load(id, resumeToken);
    return migratedSession(session, this.options.definitions[session.kind]);
  }

  /**
   * Changes a session. If another request has changed it first, `apply` is called again with the new state.
   * @param expected the version on which the change is based; undefined: any version
   * @throws VERSION_CONFLICT if the stored version is not the expected one; the errors of `get`
   */
  change(
    id: string,
    resumeToken: string | null | undefined,
    expected: number | undefined,
    apply: (session: SessionRecord, definition: WizardDefinition) => SessionRecord,
  ): Promise<SessionRecord> {
    return this.changeStored(id, resumeToken, expected, (session) => {
      const definition = this.options.definitions[session.kind];
      return apply(migratedSession(session, definition), definition);
    });
  }

  /**
   * The session in the form of the API.
   * @param deployment the session's last deployment, if the caller has it: a new one may not be committed yet
   */
  async presented(session: SessionRecord, deployment?: Saga): Promise<WizardSessionShape> {
    const { definitions, publicUrl } = this.options;
    const last = deployment ?? (await this.deployments.load(session.id));
    return present(session, definitions[session.kind], last, publicUrl);
  }

  private async changeStored(
    id: string,
    resumeToken: string | null | undefined,
    expected: number | undefined,
    apply: (session: SessionRecord) => SessionRecord,
  ): Promise<SessionRecord> {
    for (;;) {
      const stored = await this.load(id, resumeToken);
      checkVersion('wizard session', expected, stored.version);
      const changed = apply(stored);
      if (changed === stored) return stored;
      const next = { ...changed, version: stored.version + 1, updatedAt: new Date() };
      this.byId.clear(id);
      this.deployments.clear(id);
      if (await this.store.replace(next)) return next;
    }
  }

  private ownerOf(kind: WizardKind): UserViewer | undefined {
    const { viewer } = this.unit;
    if (kind === 'GYM_SETUP') return requireRole(viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
    return viewer.kind === 'anonymous' ? undefined : requireUser(viewer);
  }

  private async load(id: string, resumeToken: string | null | undefined): Promise<SessionRecord> {
    const session = isUuid(id) ? await this.byId.load(id) : null;
    if (session && mayOpen(this.unit.viewer, session, resumeToken)) return session;
    if (this.unit.viewer.kind === 'anonymous' && !resumeToken)
      throw unauthenticated("Log in, or send the session's X-Resume-Token.");
    throw notFound('wizard session', id);
  }

  private async pageOf(
    createdBy: string | undefined,
    { status, kind }: SessionFilters,
    request: PageRequest,
  ): Promise<Page<WizardSessionShape>> {
    const { definitions } = this.options;
    const [before] = cursors.read(request.cursor) ?? [];
    const sessions = await this.store.list({
      createdBy,
      status: status ?? undefined,
      kind: kind ?? undefined,
      before,
      limit: pageSize(request) + 1,
    });
    const views = await Promise.all(
      sessions.map((session) => this.presented(migratedOrAsStored(session, definitions[session.kind]))),
    );
    return cursors.page(views, request, (session) => [session.id]);
  }
}
