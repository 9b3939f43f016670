/** Which of our types stands behind each GraphQL type; code generation reads this file. */
export type { GymShape as Gym, GymConfigShape as GymConfig } from './gyms/gyms.shapes.ts';
export type { LocationShape as Location } from './locations/locations.shapes.ts';
