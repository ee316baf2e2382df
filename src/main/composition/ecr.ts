import { ownNames } from '../../base/own-addresses.ts';
import type { Configuration } from '../../config/configuration.ts';
import { ecrProtocol } from '../../pos/ecr/open-ecr.ts';
import { StartError } from './start-error.ts';

/** ECR, with what it has of the rest of the configuration: the rules of who may call are those of the API. */
export function ecr({ stateDir, shop, http }: Configuration): ReturnType<typeof ecrProtocol> {
  return ecrProtocol({
    stateDir,
    shopName: shop.name,
    access: { ...http, hostnames: [...http.hostnames, ...ownNames()] },
    limits: {
      connectionsMax: http.connectionsMax,
      perAddressMax: http.connectionsPerAddressMax,
      newPerSecondMax: http.newConnectionsPerSecondMax,
    },
    refuse: (sentence) => new StartError(sentence),
  });
}
