import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { isSuperAdmin, requireRole, requireUser, Role, type UserViewer } from '#server/auth/viewer.ts';
import { conflict, invalid, notFound, unauthenticated, versionConflict } from '#server/errors.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import { loaderOf } from '#server/loaders.ts';
import { cursorsOf, mapPage, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { stateOf, type StepDefinition, type WizardDefinition } from '../definitions/definition.ts';
import { DEFINITIONS } from '../definitions/definitions.ts';
import type { WizardKind, WizardStatus } from './session.entity.ts';
import type { SessionRecord, SessionStore } from './session-store.ts';
import {
  CreateWizardSessionShape,
  UpdateWizardSessionShape,
  type WizardSessionShape,
} from './sessions.shapes.ts';

const LIFETIME_MILLIS = 30 * 24 * 60 * 60 * 1000; // 30 days
const ANONYMOUS_LIFETIME_MILLIS = 7 * 24 * 60 * 60 * 1000; // 7 days
const cursors = cursorsOf('wizardSessions', z.tuple([z.uuid()]));

/** Runs of wizards. Each belongs to the user who began it, or to whoever holds its resume token. */
export class Sessions {
  private readonly unit: UnitOfWork;
  private readonly store: SessionStore;
  private readonly byId = loaderOf(
    (ids) => this.store.findByIds(ids),
    (session) => session.id,
  );

  constructor(unit: UnitOfWork, store: SessionStore) {
    this.unit = unit;
    this.store = store;
  }

  /** MEMBER_ONBOARDING without an account too; the answer then holds the `resumeToken`. */
  async create(input: unknown): Promise<WizardSessionShape> {
    const { kind } = validated(CreateWizardSessionShape, input);
    const owner = this.ownerOf(kind);
    const resumeToken = owner ? undefined : randomBytes(32).toString('base64url');
    const definition = DEFINITIONS[kind];
    const now = new Date();
    const session: SessionRecord = {
      id: uuidv7(),
      kind,
      status: 'DRAFT',
      definitionVersion: definition.version,
      currentStep: firstStepOf(definition).key,
      data: {},
      version: 1,
      createdBy: owner?.userId ?? null,
      gymId: kind === 'GYM_SETUP' ? null : (owner?.gymId ?? null),
      resumeTokenHash: resumeToken ? hashOf(resumeToken) : null,
      expiresAt: new Date(now.getTime() + (owner ? LIFETIME_MILLIS : ANONYMOUS_LIFETIME_MILLIS)),
      createdAt: now,
      updatedAt: now,
    };
    await this.store.insert(session);
    return { ...present(session), ...(resumeToken && { resumeToken }) };
  }

  /** @throws NOT_FOUND also for another user's. */
  async get(id: string, resumeToken?: string | null): Promise<WizardSessionShape> {
    return present(await this.load(id, resumeToken));
  }

  /** The viewer's own, newest first; everybody's for a SUPER_ADMIN. */
  async list(
    filter: { status?: WizardStatus | null | undefined; kind?: WizardKind | null | undefined },
    page: PageRequest,
  ): Promise<Page<WizardSessionShape>> {
    const viewer = requireUser(this.unit.viewer);
    return this.pageOf(viewer.role === Role.SUPER_ADMIN ? undefined : viewer.userId, filter, page);
  }

  /** Of one user: herself, or for a SUPER_ADMIN. @throws NOT_FOUND for anybody else. */
  async ofUser(
    userId: string,
    filter: { status?: WizardStatus | null | undefined; kind?: WizardKind | null | undefined },
    page: PageRequest,
  ): Promise<Page<WizardSessionShape>> {
    const viewer = requireUser(this.unit.viewer);
    if (viewer.userId !== userId && viewer.role !== Role.SUPER_ADMIN)
      throw notFound('wizard session of user', userId);
    return this.pageOf(userId, filter, page);
  }

  /** Saves a part of a step, validates it, and moves on past valid steps only. */
  async update(
    id: string,
    input: unknown,
    resumeToken?: string | null,
    expectedVersion?: number,
  ): Promise<WizardSessionShape> {
    const change = validated(UpdateWizardSessionShape, input);
    const expected = expectedVersion ?? change.version ?? undefined;
    for (;;) {
      const stored = await this.load(id, resumeToken);
      if (expected !== undefined && expected !== stored.version)
        throw versionConflict('wizard session', expected, stored.version);
      const changed = changedBy(stored, change);
      if (await this.store.replace(changed)) return present(changed);
      // Somebody else was faster. With an expected version the next round says so; without, this change goes on top of theirs.
      this.byId.clear(id);
    }
  }

  private ownerOf(kind: WizardKind): UserViewer | undefined {
    const { viewer } = this.unit;
    if (kind === 'GYM_SETUP') return requireRole(viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
    return viewer.kind === 'anonymous' ? undefined : requireUser(viewer);
  }

  private async load(id: string, resumeToken: string | null | undefined): Promise<SessionRecord> {
    const session = isUuid(id) ? await this.byId.load(id) : null;
    if (session && this.opens(session, resumeToken)) return session;
    if (this.unit.viewer.kind === 'anonymous' && !resumeToken)
      throw unauthenticated("Log in, or present the session's X-Resume-Token.");
    throw notFound('wizard session', id);
  }

  private opens(session: SessionRecord, resumeToken: string | null | undefined): boolean {
    const { viewer } = this.unit;
    if (isSuperAdmin(viewer)) return true;
    if (session.createdBy !== null) return viewer.kind === 'user' && viewer.userId === session.createdBy;
    if (!session.resumeTokenHash || !resumeToken) return false;
    return timingSafeEqual(Buffer.from(session.resumeTokenHash), Buffer.from(hashOf(resumeToken)));
  }

  private async pageOf(
    createdBy: string | undefined,
    { status, kind }: { status?: WizardStatus | null | undefined; kind?: WizardKind | null | undefined },
    request: PageRequest,
  ): Promise<Page<WizardSessionShape>> {
    const [before] = cursors.read(request.cursor) ?? [];
    const sessions = await this.store.list({
      createdBy,
      status: status ?? undefined,
      kind: kind ?? undefined,
      before,
      limit: pageSize(request) + 1,
    });
    return mapPage(
      cursors.page(sessions, request, (session) => [session.id]),
      present,
    );
  }
}

/** The session with the change in it, one version on. */
function changedBy(session: SessionRecord, change: z.infer<typeof UpdateWizardSessionShape>): SessionRecord {
  const status = statusOf(session);
  if (status !== 'DRAFT' && status !== 'READY')
    throw conflict(`This wizard session is ${status} and can no longer be changed; begin a new one.`);
  const definition = DEFINITIONS[session.kind];
  const step = stepOf(definition, change.step ?? session.currentStep, 'step');
  const data = change.data
    ? { ...session.data, [step.key]: merged(session.data[step.key], change.data) }
    : session.data;
  return {
    ...session,
    data,
    status: definition.steps.every((each) => isComplete(each, data)) ? 'READY' : 'DRAFT',
    currentStep: nextStep(definition, session.currentStep, change.currentStep ?? undefined, data),
    version: session.version + 1,
    updatedAt: new Date(),
  };
}

/** Where the session goes: to the asked step where nothing before it is open, else to the first open one; unasked, past what is complete. */
function nextStep(
  definition: WizardDefinition,
  current: string,
  asked: string | undefined,
  data: SessionRecord['data'],
): string {
  const position = (key: string) => definition.steps.findIndex((step) => step.key === key);
  const firstOpen = definition.steps.findIndex((step) => !isComplete(step, data));
  const furthest = firstOpen === -1 ? definition.steps.length - 1 : firstOpen;
  const wanted =
    asked === undefined
      ? Math.max(
          position(current),
          isComplete(stepOf(definition, current, 'currentStep'), data) ? position(current) + 1 : 0,
        )
      : position(stepOf(definition, asked, 'currentStep').key);
  return definition.steps[Math.min(wanted, furthest)]?.key ?? current;
}

const isComplete = (step: StepDefinition, data: SessionRecord['data']): boolean =>
  stateOf(step, data[step.key] ?? {}).status === 'COMPLETE';

function stepOf(definition: WizardDefinition, key: string, field: string): StepDefinition {
  const step = definition.steps.find((each) => each.key === key);
  if (!step)
    throw invalid(
      field,
      `expected one of ${definition.steps.map((each) => each.key).join(', ')}, got "${key.slice(0, 60)}"`,
    );
  return step;
}

function firstStepOf(definition: WizardDefinition): StepDefinition {
  const [first] = definition.steps;
  if (!first) throw new Error(`The definition ${definition.kind} has no steps.`);
  return first;
}

/** Keys of `change` over those of `saved`; null removes. */
const merged = (
  saved: Record<string, unknown> | undefined,
  change: Record<string, unknown>,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries({ ...saved, ...change }).filter(([, value]) => value !== null));

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

const statusOf = (session: SessionRecord): WizardStatus =>
  (session.status === 'DRAFT' || session.status === 'READY') && session.expiresAt.getTime() <= Date.now()
    ? 'EXPIRED'
    : session.status;

function present(session: SessionRecord): WizardSessionShape {
  return {
    id: session.id,
    kind: session.kind,
    status: statusOf(session),
    definitionVersion: session.definitionVersion,
    currentStep: session.currentStep,
    steps: DEFINITIONS[session.kind].steps.map((step) => {
      const data = session.data[step.key] ?? {};
      return { key: step.key, title: step.title, data, ...stateOf(step, data) };
    }),
    version: session.version,
    createdBy: session.createdBy,
    gymId: session.gymId,
    expiresAt: session.expiresAt.toISOString(),
  };
}
