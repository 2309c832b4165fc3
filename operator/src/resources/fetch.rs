//! How does the model get into a pod? Its volume, and the container that fills it.

use k8s_openapi::api::core::v1::{
    ConfigMapVolumeSource, Container, EmptyDirVolumeSource, EnvVar, ImageVolumeSource, KeyToPath,
    PersistentVolumeClaimVolumeSource, SecretVolumeSource, Volume, VolumeMount,
};

use crate::desired::{Desired, DesiredModel, Fetched};
use crate::names::{FETCH, MODEL_CA, MODEL_TOKEN, MODEL_VOLUME, UPSTREAM_CA};
use crate::references::Reference;
use crate::resources::pod::{literal, security};
use crate::resources::quantities::{mebibytes, requirements};

/// The container that fetches, where there is something to fetch.
pub(super) fn container(desired: &Desired) -> Option<Container> {
    let DesiredModel::Fetched(fetched) = &desired.model else {
        return None;
    };
    let mut resources = fetched.resources.clone();
    let disk = mebibytes(fetched.bytes + fetched.bytes / 10).0;
    let limit = mebibytes(fetched.volume() + (128 << 20)).0;
    resources
        .requests
        .entry("ephemeral-storage".to_owned())
        .or_insert(disk);
    resources
        .limits
        .entry("ephemeral-storage".to_owned())
        .or_insert(limit);
    let environment: Vec<EnvVar> = fetched
        .environment
        .iter()
        .map(|(name, value)| EnvVar {
            name: (*name).to_owned(),
            value: Some(literal(value)),
            ..EnvVar::default()
        })
        .collect();
    Some(Container {
        name: FETCH.to_owned(),
        image: Some(desired.image.name.clone()),
        image_pull_policy: desired.image.pull_policy.clone(),
        command: Some(vec!["/usr/local/bin/toolsearch-proxy".to_owned()]),
        args: Some(fetched.arguments.iter().map(|text| literal(text)).collect()),
        env: (!environment.is_empty()).then_some(environment),
        resources: Some(requirements(&resources)),
        security_context: Some(security()),
        termination_message_policy: Some("FallbackToLogsOnError".to_owned()),
        volume_mounts: Some(fetch_mounts(fetched)),
        ..Container::default()
    })
}

fn fetch_mounts(fetched: &Fetched) -> Vec<VolumeMount> {
    let mut mounts = vec![mount(MODEL_VOLUME, false)];
    if fetched.token.is_some() {
        mounts.push(mount(MODEL_TOKEN, true));
    }
    if fetched.ca.is_some() {
        mounts.push(mount(MODEL_CA, true));
    }
    mounts
}

/// What the proxy's container mounts.
pub(super) fn proxy_mounts(desired: &Desired) -> Vec<VolumeMount> {
    let mut mounts = Vec::new();
    match &desired.model {
        DesiredModel::Builtin | DesiredModel::None => {}
        DesiredModel::Fetched(_) | DesiredModel::Image { .. } => {
            mounts.push(mount(MODEL_VOLUME, true));
        }
        DesiredModel::Volume { path, .. } => mounts.push(VolumeMount {
            sub_path: path.clone(),
            ..mount(MODEL_VOLUME, true)
        }),
    }
    if desired.upstream_ca.is_some() {
        mounts.push(mount(UPSTREAM_CA, true));
    }
    mounts
}

/// The volumes of both.
pub(super) fn volumes(desired: &Desired) -> Vec<Volume> {
    let mut volumes = Vec::new();
    let named = |volume: (&str, &str)| Volume {
        name: volume.0.to_owned(),
        ..Volume::default()
    };
    match &desired.model {
        DesiredModel::Builtin | DesiredModel::None => {}
        DesiredModel::Fetched(fetched) => {
            volumes.push(Volume {
                empty_dir: Some(EmptyDirVolumeSource {
                    size_limit: Some(mebibytes(fetched.volume())),
                    ..EmptyDirVolumeSource::default()
                }),
                ..named(MODEL_VOLUME)
            });
            if let Some(token) = &fetched.token {
                volumes.push(file(
                    MODEL_TOKEN.0,
                    &Reference::Secret(token.clone()),
                    "token",
                ));
            }
            if let Some(ca) = &fetched.ca {
                volumes.push(file(MODEL_CA.0, ca, "ca.pem"));
            }
        }
        DesiredModel::Volume { claim, .. } => volumes.push(Volume {
            persistent_volume_claim: Some(PersistentVolumeClaimVolumeSource {
                claim_name: claim.clone(),
                read_only: Some(true),
            }),
            ..named(MODEL_VOLUME)
        }),
        DesiredModel::Image {
            reference,
            pull_policy,
            ..
        } => volumes.push(Volume {
            image: Some(ImageVolumeSource {
                reference: Some(reference.clone()),
                pull_policy: Some(pull_policy.clone()),
            }),
            ..named(MODEL_VOLUME)
        }),
    }
    if let Some(ca) = &desired.upstream_ca {
        volumes.push(file(UPSTREAM_CA.0, ca, "ca.pem"));
    }
    volumes
}

fn mount(volume: (&str, &str), read_only: bool) -> VolumeMount {
    VolumeMount {
        name: volume.0.to_owned(),
        mount_path: volume.1.to_owned(),
        read_only: read_only.then_some(true),
        ..VolumeMount::default()
    }
}

/// One key of another object as one file.
fn file(volume: &str, reference: &Reference, path: &str) -> Volume {
    let item = |key: &str| {
        vec![KeyToPath {
            key: key.to_owned(),
            path: path.to_owned(),
            mode: None,
        }]
    };
    let mut made = Volume {
        name: volume.to_owned(),
        ..Volume::default()
    };
    match reference {
        Reference::ConfigMap(at) => {
            made.config_map = Some(ConfigMapVolumeSource {
                name: at.name.clone(),
                items: Some(item(&at.key)),
                ..ConfigMapVolumeSource::default()
            });
        }
        Reference::Secret(at) => {
            made.secret = Some(SecretVolumeSource {
                secret_name: Some(at.name.clone()),
                items: Some(item(&at.key)),
                default_mode: Some(0o440),
                ..SecretVolumeSource::default()
            });
        }
        Reference::Claim(_) => {}
    }
    made
}
