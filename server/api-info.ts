import { API_VERSION } from './http/response-headers.ts';

/** The parts of `info` that are the same in every OpenAPI and AsyncAPI document of the platform. */
export const API_INFO = {
  version: `${API_VERSION}.0.0`,
  contact: { name: 'The authors of the fitness platform' },
  license: { name: 'All rights reserved' },
} as const;
