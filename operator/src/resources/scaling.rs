//! How many pods does the load need? An autoscaler on the CPU of the proxy's own container: model
//! pages make memory useless as a measure, and containers of others would distort the pod's sum.

use k8s_openapi::api::autoscaling::v2::{
    ContainerResourceMetricSource, CrossVersionObjectReference, HPAScalingPolicy, HPAScalingRules,
    HorizontalPodAutoscaler, HorizontalPodAutoscalerBehavior, HorizontalPodAutoscalerSpec,
    MetricSpec, MetricTarget,
};

use crate::desired::{Desired, Replicas};
use crate::names::PROXY;
use crate::resources::metadata::metadata;

pub(super) fn scaler(desired: &Desired) -> Option<HorizontalPodAutoscaler> {
    let Replicas::Auto(auto) = &desired.replicas else {
        return None;
    };
    Some(HorizontalPodAutoscaler {
        metadata: metadata(desired, &desired.name),
        spec: Some(HorizontalPodAutoscalerSpec {
            min_replicas: Some(auto.min_replicas),
            max_replicas: auto.max_replicas,
            scale_target_ref: CrossVersionObjectReference {
                api_version: Some("apps/v1".to_owned()),
                kind: "Deployment".to_owned(),
                name: desired.name.clone(),
            },
            metrics: Some(vec![MetricSpec {
                type_: "ContainerResource".to_owned(),
                container_resource: Some(ContainerResourceMetricSource {
                    container: PROXY.to_owned(),
                    name: "cpu".to_owned(),
                    target: MetricTarget {
                        type_: "Utilization".to_owned(),
                        average_utilization: Some(auto.target_cpu_utilization),
                        ..MetricTarget::default()
                    },
                }),
                ..MetricSpec::default()
            }]),
            behavior: Some(HorizontalPodAutoscalerBehavior {
                scale_up: Some(rules(30, "Percent", 100)),
                scale_down: Some(rules(300, "Pods", 1)),
            }),
        }),
        ..HorizontalPodAutoscaler::default()
    })
}

fn rules(window: i32, kind: &str, value: i32) -> HPAScalingRules {
    HPAScalingRules {
        stabilization_window_seconds: Some(window),
        policies: Some(vec![HPAScalingPolicy {
            type_: kind.to_owned(),
            value,
            period_seconds: 60,
        }]),
        ..HPAScalingRules::default()
    }
}
