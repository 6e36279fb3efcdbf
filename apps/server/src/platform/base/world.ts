// Separates the data of live keys from that of test and development keys.
export type World = 'live' | 'test';
