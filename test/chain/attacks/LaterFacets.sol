// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice A facet of a later release, with one function of its own.
abstract contract LaterFacet {
    function exportSelectors() external pure returns (bytes4[] memory selectors) {
        selectors = new bytes4[](1);
        selectors[0] = this.later.selector;
    }

    function facetName() external pure returns (string memory) {
        return "LaterFacet";
    }

    function facetVersion() external pure returns (string memory) {
        return "2.0.0";
    }

    function later() external pure virtual returns (uint256);
}

/// @notice One that is approved.
contract ApprovedFacet is LaterFacet {
    function later() external pure override returns (uint256) {
        return 1;
    }
}

/// @notice One whose approval has a delay that is not over.
contract ProposedFacet is LaterFacet {
    function later() external pure override returns (uint256) {
        return 2;
    }
}

/// @notice One that was approved and then revoked.
contract RevokedFacet is LaterFacet {
    function later() external pure override returns (uint256) {
        return 3;
    }
}

/// @notice One that nobody proposed.
contract UnknownFacet is LaterFacet {
    function later() external pure override returns (uint256) {
        return 4;
    }
}

/// @notice One that can be made to destroy itself, and takes the place of the cut facet.
contract MortalFacet {
    function exportSelectors() external pure returns (bytes4[] memory selectors) {
        selectors = new bytes4[](2);
        // `diamondCut` and `diamondCutChecked`
        (selectors[0], selectors[1]) = (0x1f931c1c, 0x20224f96);
    }

    function die(address grave) external {
        (bool dead,) = grave.delegatecall("");
        dead;
    }
}
