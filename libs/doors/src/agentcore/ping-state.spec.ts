import { PingState } from './ping-state.js';

it('D16 tells the platform in whole seconds since when the host is busy or not', () => {
  const state = new PingState(1000);
  expect(state.told(false, 9000)).toEqual({ status: 'Healthy', time_of_last_update: 1 });
  expect(state.told(true, 12_900)).toEqual({ status: 'HealthyBusy', time_of_last_update: 12 });
  expect(state.told(true, 20_000)).toEqual({ status: 'HealthyBusy', time_of_last_update: 12 });
  expect(state.told(false, 21_000)).toEqual({ status: 'Healthy', time_of_last_update: 21 });
});
