// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Uses gas until so much is left, then fails without a reason.
contract LeavingDiamond {
    uint256 internal immutable left;

    constructor(uint256 left_) {
        left = left_;
    }

    fallback() external {
        uint256 least = left;
        assembly {
            for {} gt(gas(), least) {} {}
            revert(0, 0)
        }
    }
}
