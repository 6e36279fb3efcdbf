// The two worlds that never meet: live keys see what live keys made, test and development keys what such keys made.

export type World = 'live' | 'test';
