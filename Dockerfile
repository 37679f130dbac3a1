# One image for each target: proxy, writer, management, migrate, maintenance and demo-provider.
#   docker build --target proxy --tag agent-governance-proxy/proxy:0.3.0 .
# Sources run as they are. They keep the workspace's layout, since Node strips no types under node_modules.

ARG NODE_IMAGE=node:24.21.0-slim

# The manifests that pnpm needs to install for any of the targets.
FROM ${NODE_IMAGE} AS manifests
# Another npm registry than the default one, and its certificate authorities in PEM. No image contains either.
ARG NPM_REGISTRY=
ARG EXTRA_CA=
ENV NPM_CONFIG_REGISTRY=${NPM_REGISTRY} PNPM_CONFIG_REGISTRY=${NPM_REGISTRY} NODE_EXTRA_CA_CERTS=/etc/extra-ca.pem
# pnpm checked the age of each version when it was locked; here the digests in the lock file suffice.
ENV PNPM_CONFIG_TRUST_LOCKFILE=true
RUN ["node", "-e", "fs.writeFileSync(process.env.NODE_EXTRA_CA_CERTS, `${process.env.EXTRA_CA}\\n`)"]
WORKDIR /app
COPY package.json ./
# package.json alone names the version.
RUN npm install --global "$(node --print 'require("./package.json").packageManager')"
COPY pnpm-lock.yaml pnpm-workspace.yaml ./
COPY packages/bus/package.json packages/bus/
COPY packages/catalogue/package.json packages/catalogue/
COPY packages/core/package.json packages/core/
COPY packages/db/package.json packages/db/
COPY packages/demo-provider/package.json packages/demo-provider/
COPY packages/metering/package.json packages/metering/
COPY packages/operator/package.json packages/operator/
COPY packages/pii/package.json packages/pii/
COPY packages/policy/package.json packages/policy/
COPY packages/reservations/package.json packages/reservations/
COPY packages/runtime/package.json packages/runtime/
COPY services/management/package.json services/management/
COPY services/proxy/package.json services/proxy/
COPY services/writer/package.json services/writer/
# Installs what one package needs in production, without what only people, compilers and debuggers read.
RUN printf '%s\n' '#!/bin/sh -eu' \
    'pnpm install --frozen-lockfile --prod --no-optional --ignore-scripts --filter-prod "@agp/$1..."' \
    'find . -type f -regextype egrep -regex ".*\.(map|d\.[cm]?ts|md)" ! -iname "licen[cs]e*" -delete' \
    > /usr/local/bin/install-for; \
    chmod +x /usr/local/bin/install-for

FROM manifests AS proxy-modules
RUN install-for proxy

FROM manifests AS writer-modules
RUN install-for writer

FROM manifests AS management-modules
RUN install-for management

FROM manifests AS operator-modules
RUN install-for operator

FROM manifests AS demo-provider-modules
RUN install-for demo-provider

# The console's static files. Unlike what runs, they are built, and so need tools that are no dependencies of production.
FROM manifests AS console
COPY packages/console/package.json packages/console/
RUN pnpm install --frozen-lockfile --ignore-scripts --filter '@agp/console...'
COPY tsconfig.json ./
COPY packages/core packages/core
COPY packages/policy packages/policy
COPY packages/console packages/console
RUN ["node", "packages/console/build/main.ts"]
RUN chmod -R u=rwX,go=rX packages/console/dist

FROM ${NODE_IMAGE} AS sources
COPY LICENSE /all/
COPY packages/core /all/packages/core
COPY packages/pii /all/packages/pii
COPY packages/runtime /all/packages/runtime
COPY packages/bus /stored/packages/bus
COPY packages/db /stored/packages/db
COPY packages/reservations /stored/packages/reservations
COPY packages/demo-provider /demo-provider/packages/demo-provider
COPY packages/operator /operator/packages/operator
COPY packages/catalogue /proxy/packages/catalogue
COPY packages/metering /proxy/packages/metering
COPY packages/policy /proxy/packages/policy
COPY packages/catalogue /management/packages/catalogue
COPY packages/policy /management/packages/policy
COPY services/management /management/services/management
COPY services/proxy /proxy/services/proxy
COPY services/writer /writer/services/writer
# Readable in the images even if the clone was made under a strict umask.
RUN chmod -R u=rwX,go=rX /all /stored /demo-provider /management /operator /proxy /writer

# What an image holds besides our files: Node, the libraries that it loads, and of which packages they are, for scanners. No shell, no
# package manager, and no file of certificate authorities: Node brings its own.
FROM ${NODE_IMAGE} AS system
SHELL ["/bin/sh", "-eu", "-c"]
RUN mkdir -p /system/etc /system/usr/local/bin /system/var/lib/dpkg/status.d; \
    mkdir -m 1777 /system/tmp; \
    cp /usr/local/bin/node /system/usr/local/bin/; \
    cp -L /etc/os-release /system/etc/; \
    echo 'root:x:0:0:root:/nonexistent:/usr/sbin/nologin' > /system/etc/passwd; \
    echo 'node:x:1000:1000:node:/nonexistent:/usr/sbin/nologin' >> /system/etc/passwd; \
    printf 'root:x:0:\nnode:x:1000:\n' > /system/etc/group; \
    echo 'hosts: files dns' > /system/etc/nsswitch.conf; \
    for file in $(ldd /usr/local/bin/node | grep -o '/[^ ]*'); do \
      install -D "$file" "/system$file"; \
      package=$(dpkg-query --search "*/${file##*/}" | head -n 1 | cut -d : -f 1); \
      dpkg-query --status "$package" > "/system/var/lib/dpkg/status.d/$package"; \
    done

FROM scratch AS runtime
COPY --from=system /system /
ENV NODE_ENV=production PATH=/usr/local/bin
WORKDIR /app
# By number, so that Kubernetes can see that it is not root. It owns no file in the image.
USER 1000:1000
LABEL org.opencontainers.image.vendor="Agent Governance Proxy" \
      org.opencontainers.image.version="0.3.0" \
      org.opencontainers.image.licenses="MIT"

# Images with an ops port, OPS_PORT in each.
FROM runtime AS service
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.OPS_PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]

FROM service AS proxy
LABEL org.opencontainers.image.title="agent-governance-proxy/proxy" \
      org.opencontainers.image.description="What agents call in place of their model providers"
COPY --from=proxy-modules /app ./
COPY --from=sources /all /stored /proxy ./
ENV OPS_PORT=9080
EXPOSE 8080 9080
# The flag is the one in packages/local-stack/src/local-stack-config.ts. Node is process 1 and gets the signals itself.
ENTRYPOINT ["node", "--max-semi-space-size=32", "services/proxy/src/main.ts"]

FROM service AS writer
LABEL org.opencontainers.image.title="agent-governance-proxy/writer" \
      org.opencontainers.image.description="Records the events that proxies hand to NATS in Postgres"
COPY --from=writer-modules /app ./
COPY --from=sources /all /stored /writer ./
ENV OPS_PORT=9082
EXPOSE 9082
ENTRYPOINT ["node", "--max-semi-space-size=32", "services/writer/src/main.ts"]

FROM service AS management
LABEL org.opencontainers.image.title="agent-governance-proxy/management" \
      org.opencontainers.image.description="The management API"
COPY --from=management-modules /app ./
COPY --from=sources /all /stored /management ./
COPY --from=console /app/packages/console/dist packages/console/dist
ENV OPS_PORT=9081
EXPOSE 8081 9081
ENTRYPOINT ["node", "--max-semi-space-size=32", "services/management/src/main.ts"]

# The commands of operators, in packages/operator/src/commands.
FROM runtime AS migrate
LABEL org.opencontainers.image.title="agent-governance-proxy/migrate" \
      org.opencontainers.image.description="Brings the database's schema up to date"
COPY --from=operator-modules /app ./
COPY --from=sources /all /stored /operator ./
ENTRYPOINT ["node"]
CMD ["packages/operator/src/commands/migrate.ts"]

FROM migrate AS maintenance
LABEL org.opencontainers.image.title="agent-governance-proxy/maintenance" \
      org.opencontainers.image.description="Makes the partitions of coming weeks and drops those past retention"
CMD ["packages/operator/src/commands/maintain.ts"]

FROM runtime AS demo-provider
LABEL org.opencontainers.image.title="agent-governance-proxy/demo-provider" \
      org.opencontainers.image.description="A simulated model provider, to try the product without an account"
COPY --from=demo-provider-modules /app ./
COPY --from=sources /all /demo-provider ./
ENV HOST=0.0.0.0 PORT=8090
EXPOSE 8090
ENTRYPOINT ["node", "packages/demo-provider/src/main.ts"]
