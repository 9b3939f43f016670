import { SquadSocket } from '../socket.ts';

/** Announces the user to their gym, and waits until somebody else goes online. Returns the id of that user. */
export async function nextOnlineUser(url: string, token: string, onReady: () => void): Promise<string> {
  const squad = await SquadSocket.connect({ url, token });
  const { users } = await squad.send('user_online', { status: 'AVAILABLE', activity: 'Leg day' });
  const known = new Set(users.map(({ userId }) => userId));
  return new Promise((resolve) => {
    squad.on('online_users_updated', ({ users: online }) => {
      const other = online.find(({ userId }) => !known.has(userId));
      if (!other) return;
      squad.close();
      resolve(other.userId);
    });
    onReady();
  });
}
