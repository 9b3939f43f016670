import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { reports } from '../../subgraphs/squad/chat/report.journal.ts';
import type { MessageReportShape } from '../../subgraphs/squad/chat/messages.shapes.ts';
import { gymId, rulesOf } from './invite-interleavings/world.ts';
import { fileStore, type Store } from './journals/stores.ts';

describe('the reported messages of a gym', () => {
  let store: Store;
  beforeAll(async () => {
    store = await fileStore();
  });
  afterAll(() => store.close());

  const act = async <Result>(
    userId: string,
    action: (rules: ReturnType<typeof rulesOf>) => Promise<Result>,
    role: 'MEMBER' | 'GYM_ADMIN' = 'MEMBER',
  ): Promise<Result> => {
    const rules = rulesOf(userId, store.instances[0]!, gymId, role);
    return action(rules).finally(() => rules.dispose());
  };
  /** A squad with the reporter, and the ids of the messages that its host has written there. */
  const squadWith = async (reporter: string, count: number) => {
    const host = randomUUID();
    const { squadId } = await act(host, ({ invites }) => invites.send({ toUserId: reporter }));
    await act(reporter, ({ squads }) => squads.join({ squadId }));
    const sent = await act(host, ({ messages }) =>
      Promise.all(Array.from({ length: count }, (_, nth) => messages.send({ squadId, text: `${nth}` }))),
    );
    return { squadId, messageIds: sent.map(({ id }) => id) };
  };
  const report = (by: string, squadId: string, messageId: string) =>
    act(by, ({ messageReports }) => messageReports.report({ squadId, messageId }));
  const listed = async (): Promise<MessageReportShape[]> => {
    const all: MessageReportShape[] = [];
    for (let cursor: string | undefined; ;) {
      const request = { limit: 200, cursor };
      const page = await act(
        randomUUID(),
        ({ messageReports }) => messageReports.list(null, request),
        'GYM_ADMIN',
      );
      all.push(...page.items);
      if (!page.hasNextPage) return all;
      cursor = page.cursorOf(all.at(-1)!);
    }
  };

  test('cannot be pushed out by the many reports of another user, of which those after the first 50 are refused', async () => {
    const [leo, zoe] = [randomUUID(), randomUUID()];
    const leos = await squadWith(leo, 1);
    await report(leo, leos.squadId, leos.messageIds[0]!);
    const { squadId, messageIds } = await squadWith(zoe, 1_001);
    const refused: string[] = [];
    for (const messageId of messageIds)
      await report(zoe, squadId, messageId).catch((error: { code: string }) => refused.push(error.code));
    expect(refused).toEqual(Array.from({ length: 1_001 - 50 }, () => 'CONFLICT'));
    const of = (reporterId: string, all: readonly MessageReportShape[]) =>
      all.filter((one) => one.reporterId === reporterId).map(({ messageId }) => messageId);
    const all = await listed();
    expect(of(leo, all)).toEqual(leos.messageIds);
    expect(of(zoe, all)).toEqual(messageIds.slice(0, 50).toReversed());
  });

  test('may be reported again by a user who has made 50 reports, and a further one after 90 days', async () => {
    const mia = randomUUID();
    const { squadId, messageIds } = await squadWith(mia, 51);
    for (const messageId of messageIds.slice(0, 50)) await report(mia, squadId, messageId);
    await report(mia, squadId, messageIds[0]!);
    await expect(report(mia, squadId, messageIds[50]!)).rejects.toMatchObject({ code: 'CONFLICT' });
    const { reports: all } = await store.instances[0]!.of(reports).read(gymId);
    const old = { ...all.at(-1)!, createdAt: new Date(Date.now() - 91 * 24 * 60 * 60 * 1000).toISOString() };
    await store.instances[0]!.of(reports).rewrite(gymId, (record) => ({
      reports: [old, ...record.reports.slice(0, -1)],
    }));
    await report(mia, squadId, messageIds[50]!);
    const own = (await listed()).filter(({ reporterId }) => reporterId === mia);
    expect(own.map(({ messageId }) => messageId)).toEqual(messageIds.slice(1).toReversed());
  });

  test('are the latest 50 of each reporter also in a journal that an earlier version has written', () => {
    const madeBy = (reporterId: string, count: number): MessageReportShape[] =>
      Array.from({ length: count }, (_, nth) => ({
        squadId: randomUUID(),
        messageId: randomUUID(),
        reporterId,
        authorId: randomUUID(),
        text: `message ${nth}`,
        reason: null,
        createdAt: new Date().toISOString(),
      }));
    const [leos, zoes] = [madeBy(randomUUID(), 1), madeBy(randomUUID(), 900)];
    const snapshot = { type: 'snapshot' as const, record: { reports: [...leos, ...zoes] } };
    const read = reports.apply(reports.empty(gymId), snapshot).reports.map(({ messageId }) => messageId);
    expect(read).toEqual([...leos, ...zoes.slice(-50)].map(({ messageId }) => messageId));
  });
});
