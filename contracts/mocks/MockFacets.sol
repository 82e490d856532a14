// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DealKey, DealWord} from "../interfaces/DealTypes.sol";
import {IDealFacet} from "../interfaces/IDealFacet.sol";
import {IFacet} from "../interfaces/IFacet.sol";
import {LibDeals} from "../libraries/LibDeals.sol";

/// @notice A later facet that adds functions.
contract ExtraFacet is IFacet {
    function extra() external pure returns (uint256) {
        return 42;
    }

    function extraAddress() external view returns (address) {
        return address(this);
    }

    function exportSelectors() external pure virtual returns (bytes4[] memory selectors) {
        selectors = new bytes4[](2);
        selectors[0] = this.extra.selector;
        selectors[1] = this.extraAddress.selector;
    }

    function facetName() external pure returns (string memory) {
        return "ExtraFacet";
    }

    function facetVersion() external pure returns (string memory) {
        return "2.0.0";
    }
}

/// @notice Exports the functions of ExtraFacet from other code. `addedLater` is not exported.
contract ExtraFacetTwo is ExtraFacet {
    function addedLater() external pure returns (uint256) {
        return 43;
    }
}

/// @notice A later version of the deal reader: replaces `dealWords`.
contract WordFacet is IFacet {
    function dealWords(uint256[] calldata dealIds) external view returns (bytes32[] memory words) {
        words = new bytes32[](dealIds.length);
        for (uint256 i; i < dealIds.length; ++i) {
            words[i] = DealWord.unwrap(LibDeals.store().words[dealIds[i]]);
        }
    }

    function exportSelectors() external pure returns (bytes4[] memory selectors) {
        selectors = new bytes4[](1);
        selectors[0] = this.dealWords.selector;
    }

    function facetName() external pure returns (string memory) {
        return "WordFacet";
    }

    function facetVersion() external pure returns (string memory) {
        return "2.0.0";
    }
}

/// @notice Replaces `createDeals`, and fails in the way that the first terms hash of a call selects.
contract BrokenFacet is IFacet {
    function createDeals(DealKey[] calldata deals) external pure {
        // The first terms hash of the call selects the failure.
        uint256 mode = uint256(deals[0].termsHash);
        assembly {
            switch mode
            case 1 { invalid() }
            case 2 { revert(0, 100000) }
            case 3 { revert(0, 0) }
        }
    }

    function exportSelectors() external pure returns (bytes4[] memory selectors) {
        selectors = new bytes4[](1);
        selectors[0] = IDealFacet.createDeals.selector;
    }

    function facetName() external pure returns (string memory) {
        return "BrokenFacet";
    }

    function facetVersion() external pure returns (string memory) {
        return "0.0.0";
    }
}
