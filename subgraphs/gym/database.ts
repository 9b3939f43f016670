import type { DatabaseDeclaration } from '#server/database/database.ts';
import { CheckIn } from './check-ins/check-in.entity.ts';
import { Gym } from './gyms/gym.entity.ts';
import { Location } from './locations/location.entity.ts';
import { migrations } from './migrations/index.ts';

export const database: DatabaseDeclaration = {
  name: 'platform_gym',
  entities: [Gym, Location, CheckIn],
  migrations,
};
