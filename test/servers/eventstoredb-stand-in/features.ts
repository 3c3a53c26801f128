import { features, services } from './protocol.js';

const FEATURES: Readonly<Record<string, readonly string[]>> = {
  read: ['position', 'events'],
  append: [],
  delete: [],
  tombstone: [],
  batchappend: ['deadline_duration'],
};

export function supportedMethods(): features.SupportedMethods {
  const serviceName = services.streams.read.path.split('/')[1] ?? '';
  const answer = new features.SupportedMethods();
  answer.setEventStoreServerVersion('23.10.8');
  answer.setMethodsList(
    Object.entries(FEATURES).map(([name, list]) => {
      const method = new features.SupportedMethod();
      method.setServiceName(serviceName);
      method.setMethodName(name);
      method.setFeaturesList([...list]);
      return method;
    }),
  );
  return answer;
}
