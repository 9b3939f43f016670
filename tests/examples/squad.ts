import { DEMO_GYMS, demoId, demoPerson } from '#server/demo-ids.ts';
import type { Recorder } from './recorder.ts';

const LEO = demoPerson('leo@iron.test').id;
const asLeo = { as: 'leo@iron.test' } as const;

export async function squadExamples(recorder: Recorder): Promise<void> {
  const { record } = recorder;
  await record('setMyPresence', { body: { status: 'AVAILABLE', activity: 'Leg day' } });
  await record('listOnlineUsers', asLeo);
  const club = await record('createClub', { body: { name: 'Early birds' } });
  await record('joinClub', { ...asLeo, params: { id: club.id } });
  await record('listClubs');
  await record('leaveClub', { ...asLeo, params: { id: club.id } });
  await training(recorder);
  await record('listSquadHistory', { params: { userId: 'me' }, query: { limit: 2 } }).catch(async () =>
    record('listSquadHistory', { params: { userId: demoPerson('maya@iron.test').id }, query: { limit: 2 } }),
  );
  await record('listFeed', { query: { limit: 2 } });
  await record('blockUser', { params: { userId: LEO } });
  await record('listBlockedUsers');
  await record('unblockUser', { params: { userId: LEO } });
  await record('endMembershipAtSquad', {
    as: 'identity',
    body: { userId: demoId('999', 2), gymId: DEMO_GYMS.ironTemple.id, before: null },
  });
  await record('listAccountRecords', { as: 'identity', params: { userId: demoId('999', 2) } });
  await record('eraseAccountRecords', { as: 'identity', params: { userId: demoId('999', 2) } });
}

async function training(recorder: Recorder): Promise<void> {
  const { platform, record, send } = recorder;
  const { body: routines } = await platform.rest('content', 'GET', '/workouts?limit=1');
  const squad = await record('openSquad', { body: { routineId: routines[0].id } });
  const at = { params: { id: squad.id } };
  const invite = await record('sendInvite', {
    body: { toUserId: LEO, squadId: squad.id, message: 'Legs at six?' },
  });
  await record('listInvites', { ...asLeo, query: { limit: 2 } });
  await record('respondToInvite', { ...asLeo, params: { id: invite.id }, body: { accept: true } });
  await record('joinSquad', { ...asLeo, ...at });
  await record('startSquad', at);
  await record('updateWorkoutProgress', {
    ...at,
    body: {
      eventId: 'set-1',
      exerciseIndex: 0,
      setIndex: 0,
      phase: 'REST',
      set: { reps: 10, weightKg: 40, rpe: 7 },
    },
  });
  await record('listSquadEvents', { ...at, query: { fromRevision: 1 } });
  await record('pauseSquad', at);
  await chat(recorder, squad.id);
  await record('listTrainedRoutines', { as: 'content', params: { userId: LEO } });
  await record('makeSquadHost', { ...at, body: { userId: LEO } });
  await send('makeSquadHost', { ...asLeo, ...at, body: { userId: demoPerson('maya@iron.test').id } });
  await record('getSquad', at);
  await record('listMySquads', { query: { limit: 2 } });
  await record('leaveSquad', { ...asLeo, ...at });
  const again = await send('sendInvite', { body: { toUserId: LEO, squadId: squad.id } });
  await send('respondToInvite', { ...asLeo, params: { id: again.id }, body: { accept: true } });
  await send('joinSquad', { ...asLeo, ...at });
  await record('kickFromSquad', { ...at, body: { userId: LEO } });
  const revoked = await send('sendInvite', { body: { toUserId: LEO } });
  await record('revokeInvite', { params: { id: revoked.id } });
  await record('endSquad', at);
}

async function chat({ record }: Recorder, id: string): Promise<void> {
  const message = await record('sendMessage', {
    params: { id },
    body: { text: 'Two more sets!', clientId: 'message-1' },
  });
  await record('listMessages', { params: { id }, query: { limit: 2 } });
  const at = { params: { id, messageId: message.id } };
  await record('reportMessage', { ...asLeo, ...at, body: { reason: 'Too loud.' } });
  await record('listMessageReports', { as: 'admin@iron.test', query: { limit: 2 } });
  await record('deleteMessage', at);
}
