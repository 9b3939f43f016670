import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  startPlatform,
  type CallOptions,
  type RestAnswer,
  type TestPlatform,
  type Untyped,
} from '../support/platform.ts';

const FIELDS =
  'id kind status definitionVersion currentStep version createdBy gymId expiresAt resumeToken steps { key title status data errors { path message } currentlyDue }';

describe.each(['database', 'memory'])('wizard sessions in %s', (storage) => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await startPlatform({ services: ['identity', 'wizard'], env: { WIZARD_STORAGE: storage } });
  });
  afterAll(() => platform.stop());

  interface Answer {
    status: number;
    code?: string;
    session: Untyped;
  }
  interface Door {
    create(kind: string, options?: CallOptions): Promise<Answer>;
    read(id: string, options?: CallOptions & { resumeToken?: string }): Promise<Answer>;
    update(id: string, change: object, options?: CallOptions & { resumeToken?: string }): Promise<Answer>;
  }
  const resume = (resumeToken?: string): Record<string, string> =>
    resumeToken ? { 'x-resume-token': resumeToken } : {};
  const ofRest = async (answer: Promise<RestAnswer>): Promise<Answer> => {
    const { status, body } = await answer;
    return { status, code: body.code, session: body };
  };
  const ofGraph = async (
    query: string,
    variables: object,
    options: CallOptions | undefined,
    created = 200,
  ): Promise<Answer> => {
    const { data, errors } = await platform.graph('wizard', query, variables, options);
    const [session] = Object.values(data ?? {});
    const http = errors?.[0]?.extensions.http as { status: number } | undefined;
    return {
      status: http?.status ?? (session === null ? 404 : created),
      ...(errors?.[0] && { code: errors[0].extensions.code }),
      session,
    };
  };
  const doors: Record<string, Door> = {
    rest: {
      create: (kind, options) => ofRest(platform.rest('wizard', 'POST', '/', { ...options, body: { kind } })),
      read: (id, { resumeToken, ...options } = {}) =>
        ofRest(platform.rest('wizard', 'GET', `/${id}`, { ...options, headers: resume(resumeToken) })),
      update: (id, change, { resumeToken, ...options } = {}) =>
        ofRest(
          platform.rest('wizard', 'PUT', `/${id}`, {
            ...options,
            headers: resume(resumeToken),
            body: change,
          }),
        ),
    },
    graph: {
      create: (kind, options) =>
        ofGraph(
          `mutation ($input: CreateWizardSessionInput!) { createWizardSession(input: $input) { ${FIELDS} } }`,
          { input: { kind } },
          options,
          201,
        ),
      read: (id, { resumeToken, ...options } = {}) =>
        ofGraph(
          `query ($id: ID!, $resumeToken: String) { wizardSession(id: $id, resumeToken: $resumeToken) { ${FIELDS} } }`,
          { id, resumeToken },
          options,
        ),
      update: (id, change, { resumeToken, ...options } = {}) =>
        ofGraph(
          `mutation ($input: UpdateWizardSessionInput!) { updateWizardSession(input: $input) { ${FIELDS} } }`,
          { input: { id, resumeToken, ...change } },
          options,
        ),
    },
  };

  describe.each(Object.keys(doors))('through %s', (name) => {
    const door = doors[name] as Door;

    it('are created, filled in step by step, and become READY', async () => {
      const { token, id: userId } = await platform.register();
      const { status, session } = await door.create('MEMBER_ONBOARDING', { token });
      expect(status).toBe(201);
      expect(session).toMatchObject({
        kind: 'MEMBER_ONBOARDING',
        status: 'DRAFT',
        currentStep: 'profile',
        version: 1,
        createdBy: userId,
        definitionVersion: 1,
      });
      expect(session.resumeToken ?? null).toBeNull();
      const answers: [string, object][] = [
        ['profile', { displayName: 'New Member' }],
        ['body', { heightCm: 170, weightKg: 65.5 }],
        ['goals', { goals: ['strength'] }],
        ['nutrition', { calories: 2100 }],
        ['slot', { locationId: randomUUID(), startsAt: '2027-01-02T18:00:00Z' }],
        ['review', { confirmed: true }],
      ];
      for (const [index, [step, data]] of answers.entries()) {
        const saved = (await door.update(session.id, { data }, { token })).session;
        expect(saved.steps[index]).toMatchObject({
          key: step,
          status: 'COMPLETE',
          data,
          errors: [],
          currentlyDue: [],
        });
        expect(saved.currentStep).toBe(answers[index + 1]?.[0] ?? 'review');
      }
      expect((await door.read(session.id, { token })).session).toMatchObject({ status: 'READY', version: 7 });
    });

    it('save incomplete or invalid data, report it, and do not move past it', async () => {
      const { token } = await platform.register();
      const { session } = await door.create('MEMBER_ONBOARDING', { token });
      await door.update(session.id, { data: { displayName: 'M' } }, { token });
      const half = (
        await door.update(
          session.id,
          { step: 'body', data: { heightCm: 999 }, currentStep: 'goals' },
          { token },
        )
      ).session;
      expect(half).toMatchObject({ currentStep: 'body', status: 'DRAFT' });
      expect(half.steps[1]).toMatchObject({
        status: 'INCOMPLETE',
        data: { heightCm: 999 },
        errors: [{ path: 'heightCm' }],
        currentlyDue: ['weightKg'],
      });
      const whole = (
        await door.update(session.id, { step: 'body', data: { heightCm: 180, weightKg: 80 } }, { token })
      ).session;
      expect(whole).toMatchObject({ currentStep: 'goals' });
      expect((await door.update(session.id, { currentStep: 'profile' }, { token })).session.currentStep).toBe(
        'profile',
      );
      expect(
        (await door.update(session.id, { step: 'body', data: { weightKg: null } }, { token })).session
          .steps[1],
      ).toMatchObject({ status: 'INCOMPLETE', currentlyDue: ['weightKg'] });
    });

    it('refuse a step that does not exist and data that is no object', async () => {
      const { token } = await platform.register();
      const { session } = await door.create('MEMBER_ONBOARDING', { token });
      for (const change of [
        { step: 'nothing', data: {} },
        { currentStep: 'nothing' },
        { data: [1] },
        { data: 'text' },
      ])
        expect(await door.update(session.id, change, { token })).toMatchObject({
          status: 400,
          code: 'VALIDATION_FAILED',
        });
      expect((await door.read(session.id, { token })).session.version).toBe(1);
    });

    it('refuse a stale version', async () => {
      const { token } = await platform.register();
      const { session } = await door.create('MEMBER_ONBOARDING', { token });
      expect(
        (await door.update(session.id, { data: { displayName: 'A' }, version: 1 }, { token })).status,
      ).toBe(200);
      expect(
        await door.update(session.id, { data: { displayName: 'B' }, version: 1 }, { token }),
      ).toMatchObject({ status: 412, code: 'VERSION_CONFLICT' });
    });

    it('lose none of 20 simultaneous changes', async () => {
      const { token } = await platform.register();
      const { session } = await door.create('MEMBER_ONBOARDING', { token });
      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          door.update(session.id, { data: { [`key${i}`]: i } }, { token }),
        ),
      );
      const { session: after } = await door.read(session.id, { token });
      expect(after.version).toBe(21);
      expect(Object.keys(after.steps[0].data)).toHaveLength(20);
    });

    it('do not exist for another user, but exist for a SUPER_ADMIN', async () => {
      const owner = await platform.register();
      const { session } = await door.create('MEMBER_ONBOARDING', { token: owner.token });
      for (const email of ['leo@iron.test', 'admin@iron.test'] as const) {
        const token = await platform.demo(email);
        expect((await door.read(session.id, { token })).status).toBe(404);
        expect((await door.update(session.id, { data: {} }, { token })).status).toBe(404);
      }
      expect((await door.read(session.id, { token: await platform.demo('super@demo.test') })).status).toBe(
        200,
      );
      expect((await door.read(session.id)).status).toBe(401);
    });

    it('created without an account are opened only with their resume token', async () => {
      const { session, status } = await door.create('MEMBER_ONBOARDING');
      expect(status).toBe(201);
      expect(session).toMatchObject({ createdBy: null, resumeToken: expect.stringMatching(/^[\w-]{43}$/) });
      const { resumeToken } = session;
      expect((await door.read(session.id, { resumeToken })).session.resumeToken ?? null).toBeNull();
      expect((await door.update(session.id, { data: { displayName: 'X' } }, { resumeToken })).status).toBe(
        200,
      );
      expect((await door.read(session.id)).status).toBe(401);
      expect((await door.read(session.id, { resumeToken: 'x'.repeat(43) })).status).toBe(404);
      expect((await door.read(session.id, { token: await platform.demo('maya@iron.test') })).status).toBe(
        404,
      );
    });

    it('for a gym are created only by admins', async () => {
      expect((await door.create('GYM_SETUP')).status).toBe(401);
      expect((await door.create('GYM_SETUP', { token: await platform.demo('maya@iron.test') })).status).toBe(
        403,
      );
      expect(
        (await door.create('GYM_SETUP', { token: await platform.demo('admin@iron.test') })).session,
      ).toMatchObject({ kind: 'GYM_SETUP', currentStep: 'basics' });
      expect((await door.create('SOMETHING', { token: await platform.demo('super@demo.test') })).status).toBe(
        400,
      );
    });
  });

  it('are listed newest first, filtered and paged, to their owner', async () => {
    const { token } = await platform.register();
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1)
      ids.unshift((await doors.rest?.create('MEMBER_ONBOARDING', { token }))?.session.id);
    const first = await platform.rest('wizard', 'GET', '/?limit=2', { token });
    const link = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await platform.rest('wizard', 'GET', link, { token });
    expect([...first.body, ...second.body].map(({ id }) => id)).toEqual(ids.slice(0, 4));
    expect((await platform.rest('wizard', 'GET', '/?kind=GYM_SETUP', { token })).body).toEqual([]);
    expect((await platform.rest('wizard', 'GET', '/?status=WRONG', { token })).status).toBe(400);
    expect((await platform.rest('wizard', 'GET', '/')).status).toBe(401);
    const page = await platform.graph(
      'wizard',
      '{ wizardSessions(first: 3) { nodes { id } pageInfo { hasNextPage endCursor } } }',
      {},
      { token },
    );
    expect(page.data.wizardSessions).toEqual({
      nodes: ids.slice(0, 3).map((id) => ({ id })),
      pageInfo: { hasNextPage: true, endCursor: expect.any(String) },
    });
    const rest = await platform.graph(
      'wizard',
      'query ($after: String) { wizardSessions(after: $after) { nodes { id } pageInfo { hasNextPage } } }',
      { after: page.data.wizardSessions.pageInfo.endCursor },
      { token },
    );
    expect(rest.data.wizardSessions).toEqual({
      nodes: ids.slice(3).map((id) => ({ id })),
      pageInfo: { hasNextPage: false },
    });
  });

  it('the field wizardSessions of a user returns the sessions of this user', async () => {
    const owner = await platform.register();
    const created = await doors.rest?.create('MEMBER_ONBOARDING', { token: owner.token });
    const query =
      'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on User { wizardSessions { nodes { id } } } } }';
    const representations = [{ __typename: 'User', id: owner.id }];
    expect(
      (await platform.graph('wizard', query, { representations }, { token: owner.token })).data._entities,
    ).toEqual([{ wizardSessions: { nodes: [{ id: created?.session.id }] } }]);
    const stranger = await platform.graph(
      'wizard',
      query,
      { representations },
      { token: await platform.demo('admin@iron.test') },
    );
    expect(stranger).toMatchObject({
      data: { _entities: [{ wizardSessions: null }] },
      errors: [{ extensions: { code: 'NOT_FOUND' } }],
    });
  });

  it('are NOT_FOUND by an id that is no UUID; fixed paths such as /docs still work', async () => {
    const token = await platform.demo('maya@iron.test');
    expect((await platform.rest('wizard', 'GET', '/not-a-uuid', { token })).status).toBe(404);
    expect((await platform.rest('wizard', 'GET', '/docs')).status).toBe(200);
    expect((await platform.rest('wizard', 'GET', '/health/live')).status).toBe(200);
  });
});
