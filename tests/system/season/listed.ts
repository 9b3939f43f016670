import type { Member, Set } from './model.ts';
import type { Answer, RunningPlatform } from './running-platform.ts';

interface ListedTraining {
  id: string;
  title: string | null;
  startedAt: string;
  endedAt: string | null;
  minutes: number;
  volumeKg: number;
  entries: { exerciseId: string; sets: Set[] }[];
}

/** All trainings of a member, as the platform lists them. */
export async function listed(platform: RunningPlatform, { token }: Member): Promise<ListedTraining[]> {
  const all: ListedTraining[] = [];
  let path: string | undefined = '/content/trainings?limit=200';
  while (path) {
    const answer: Answer = await platform.call('GET', path, token);
    all.push(...(answer.body as ListedTraining[]));
    path = /<([^>]+)>; rel="next"/.exec(answer.link)?.[1];
  }
  return all;
}
