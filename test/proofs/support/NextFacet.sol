// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IFacet} from "../../../contracts/interfaces/IFacet.sol";
import {IDealFacet} from "../../../contracts/interfaces/IDealFacet.sol";

/// @notice A facet of a later release: a function that is new, and another `sweep`.
contract NextFacet is IFacet {
    function later() external pure returns (uint256) {
        return 42;
    }

    function sweep(address, address) external pure {}

    function exportSelectors() external pure returns (bytes4[] memory selectors) {
        selectors = new bytes4[](2);
        selectors[0] = this.later.selector;
        selectors[1] = IDealFacet.sweep.selector;
    }

    function facetName() external pure returns (string memory) {
        return "NextFacet";
    }

    function facetVersion() external pure returns (string memory) {
        return "2.0.0";
    }
}
